import { isFinalMailError, type MailDeliveryInput, type MailError, type MailSnapshot } from '../../src/contracts/mail.ts';
import { formatTime } from './payout-details.ts';

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
  const next = nextStepOfMail(input, mail);
  const lines = [
    ['Tries', String(tries)],
    ['Last failure', reason],
    ['Next try', nextTryMs === null ? null : formatTime(nextTryMs)],
    ['Given up after', status === 'queued' ? formatTime(Date.parse(input.queuedAt) + input.timing.giveUpAfterMs) : null],
    ['**What to do**', next],
  ].flatMap(([name, text]) => (text === null ? [] : [`- ${name}: ${text}`]));
  return [`${TITLES[status]}: ${input.mail}`, lines.join('\n')].join('\n\n');
};
