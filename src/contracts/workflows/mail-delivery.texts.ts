import {
  isFinalMailError,
  type MailDeliveryInput,
  type MailError,
  type MailKind,
  type MailSnapshot,
  type MailSummary,
} from '../mail.ts';
import { detailsOf, formatTime, type WorkflowLinks, workflowLink } from './text.ts';

/** Each has a workflow that is named after it, such as `flag/<id>`. */
const WITH_WORKFLOW: readonly string[] = ['application', 'flag', 'payout'];
/** Mails about these are limited: those beyond the limit are one mail about many. */
const LIMITED: readonly string[] = [...WITH_WORKFLOW, 'webhook endpoint', 'change', 'adjustment', 'payout run'];
type MailSubject =
  | 'application'
  | 'flag'
  | 'payout'
  | 'webhook endpoint'
  | 'change'
  | 'adjustment'
  | 'payout run'
  | 'merchant'
  | 'profile'
  | 'program'
  | 'marketing resource'
  | 'invite'
  | 'passkey'
  | 'sign-in';

/** What each mail says, and what it is about. */
const MAILS: Readonly<Record<MailKind, readonly [title: string, about: MailSubject]>> = {
  merchant_activity: ['Activity of the last hours, to the merchant', 'merchant'],
  weekly_digest: ['Weekly digest, to the merchant', 'merchant'],
  application_waiting: ['New application, to the merchant', 'application'],
  application_reminder: ['Application still waiting, to the merchant', 'application'],
  flag_opened: ['Flag opened, to the merchant', 'flag'],
  flag_reminder: ['Flag still open, to the merchant', 'flag'],
  flag_deadline: ['Deadline of a flag, to the merchant', 'flag'],
  approval_threshold_changed: ['Approval of payouts changed, to the merchant', 'merchant'],
  rule_change_requested: ['Change that makes payouts less safe, to the merchant', 'change'],
  application_decided: ['Application decided, to the applicant', 'application'],
  payout_completed: ['Payout completed, to the affiliate', 'payout'],
  payout_failed: ['Payout failed, to the affiliate', 'payout'],
  payout_details_rejected: ['Payout details refused too often, to the affiliate', 'profile'],
  payout_details_changed: ['Payout details changed, to the affiliate', 'profile'],
  payout_attention: ['Payout waits for a person, to the merchant', 'payout'],
  payout_to_claim: ['Payment to claim at the provider, to the affiliate', 'payout'],
  payout_reminder: ['Payout not paid yet, to the merchant', 'payout'],
  payout_approval: ['Payout to be approved, to the merchant', 'payout'],
  payout_run_approval: ['Payout run to be approved, to the merchant', 'payout run'],
  adjustment_approval: ['Adjustment to be approved, to the merchant', 'adjustment'],
  payouts_waiting: ['Payouts that wait for a person, each day, to the merchant', 'merchant'],
  payout_run_scheduled: ['Scheduled payout run, to the merchant', 'program'],
  resource_announced: ['New marketing resource, to the affiliate', 'marketing resource'],
  program_invite: ['Invite to a program, to the invited person', 'program'],
  webhook_failing: ['Webhook endpoint fails, to the merchant', 'webhook endpoint'],
  webhook_disabled: ['Webhook endpoint disabled, to the merchant', 'webhook endpoint'],
  webhook_created: ['New webhook endpoint, to the merchant', 'webhook endpoint'],
  webhook_origin_changed: ['Webhook endpoint moved, to the merchant', 'webhook endpoint'],
  person_invited: ['Invite to the people of a merchant, to the invited person', 'invite'],
  sign_in: ['Link and code to sign in, to the person', 'sign-in'],
  passkey_changed: ['Passkey added or removed, to the person', 'passkey'],
  passkey_replacement: ['Passkeys to be replaced, or replaced, to the person', 'passkey'],
  join_requested: ['Link and code to join a program, to whoever asked', 'sign-in'],
  sign_up_requested: ['Link and code to open an account for a company, to whoever asked', 'sign-in'],
  account_changed: ['Change of the account, to the merchant', 'change'],
  reconciliation: ['Differences between books and providers, to the merchant', 'merchant'],
  payments_held: ['All payments on hold, to the merchant', 'merchant'],
  rail_account_held: ['Payout account on hold, to the merchant', 'merchant'],
  sale_problem: ['Payment that needs a decision, to the merchant', 'merchant'],
  webhook_recovered: ['Webhook endpoint works again, to the merchant', 'webhook endpoint'],
};

/** "Payout completed, to the affiliate". */
export const mailTitle = ({ kind }: MailSummary): string => MAILS[kind][0];

/** A mail about many is about whom it is for. */
const isAboutMany = ({ subjectId, merchantId }: MailSummary): boolean => merchantId === null || subjectId === merchantId;

const subjectOf = (mail: MailSummary, links: WorkflowLinks): string => {
  const about = MAILS[mail.kind][1];
  if (LIMITED.includes(about) && isAboutMany(mail)) return `About several ${about}s: there were too many for a mail about each.`;
  if (!WITH_WORKFLOW.includes(about)) return `About the ${about} \`${mail.subjectId}\``;
  return `About ${workflowLink(`${about}/${mail.subjectId}`, links)}`;
};

/** Markdown. Address and text are in the database only. */
export const mailSubject = (mail: MailSummary, links: WorkflowLinks): string =>
  [`Sends one mail, with retries for 72 hours: **${mailTitle(mail)}**.`, subjectOf(mail, links)].join('\n\n');

const REASONS: Readonly<Record<MailError, string>> = {
  address_refused: 'the mail server refuses the address',
  message_refused: 'the mail server refuses the message',
  unreadable: 'its address or text cannot be decrypted: check ENCRYPTION_KEYS',
  refused_for_now: 'the mail server refused it for now',
  sender_refused: 'the mail server refuses the sender: check MAIL_FROM',
  login_refused: 'the mail server refuses the login: check SMTP_URL',
  connection_failed: 'the mail server cannot be reached: check SMTP_URL',
  connection_lost: 'the connection to the mail server was lost',
  tls_failed: 'no encrypted connection to the mail server: check SMTP_URL and its certificate',
  timeout: 'the mail server did not answer in time',
  folder_not_writable: 'the mailbox folder cannot be written: check MAILBOX_DIR, or set SMTP_URL',
  internal_error: 'an internal error: see the log of the worker',
};

const TITLES: Readonly<Record<MailSnapshot['status'], string>> = {
  queued: '**Queued**',
  sent: '✓ **Sent**',
  given_up: '⚠ **Given up**',
};

/** What an operator may do; null when there is nothing to do. */
export const nextStepOfMail = (
  { mailId }: Pick<MailDeliveryInput, 'mailId'>,
  { status, lastError }: MailSnapshot,
): string | null => {
  if (status !== 'given_up') return null;
  // As code: the UI would turn two hyphens into a dash, and the copied command would fail.
  const retry = `\`npm run admin -- mail retry --id ${mailId}\``;
  if (lastError !== null && isFinalMailError(lastError)) {
    return `Tell the recipient another way, or correct the cause and send it again: ${retry}`;
  }
  return `Correct the cause, then send it again: ${retry}`;
};

/** The mail as a person reads it. Markdown, without address and text. */
export const describeMail = (input: MailDeliveryInput, mail: MailSnapshot, nextTryMs: number | null): string => {
  const { status, tries, lastError, smtpCode } = mail;
  const reason = lastError === null ? null : `${REASONS[lastError]}${smtpCode === null ? '' : ` (${smtpCode})`}`;
  return detailsOf(`${TITLES[status]}: ${input.mail}`, [
    ['Tries', String(tries)],
    ['Last failure', reason],
    ['Next try', nextTryMs === null ? null : formatTime(nextTryMs)],
    ['Given up after', status === 'queued' ? formatTime(Date.parse(input.queuedAt) + input.timing.giveUpAfterMs) : null],
    ['**What to do**', nextStepOfMail(input, mail)],
  ]);
};
