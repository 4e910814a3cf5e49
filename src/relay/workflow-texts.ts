import type { ApplicationReviewInput, ApplicationSummary } from '../contracts/application-workflow.ts';
import type { MailKind, MailSummary } from '../contracts/mail.ts';
import { escapeMarkdown, fitBytes } from '../contracts/markdown.ts';
import type { OutboxMessage } from '../contracts/outbox.ts';
import { RAILS } from '../contracts/rails.ts';
import { isResend } from '../contracts/webhooks.ts';
import type { PayoutHeadline, PayoutLinks, PayoutSummary, PayoutWorkflowInput } from '../contracts/workflows.ts';
import { formatMoney } from '../platform/money.ts';

/** Limit of Temporal for a summary. */
export const SUMMARY_BYTES = 200;

const headlineOf = (payout: PayoutSummary): PayoutHeadline => ({
  amount: formatMoney(Number(payout.amountMinor), payout.currency),
  to: payout.affiliateCode,
  program: payout.programName,
  rail: payout.rail,
  method: payout.method,
});

/** The input without its links. The order of its lines is the order in the Temporal UI. */
export const toPayoutInput = (payout: PayoutSummary): Omit<PayoutWorkflowInput, 'links'> => ({
  ...headlineOf(payout),
  payoutId: payout.payoutId,
  merchantId: payout.merchantId,
  programId: payout.programId,
  affiliateId: payout.affiliateId,
  amountMinor: payout.amountMinor,
  currency: payout.currency,
  createdAt: payout.createdAt,
});

/** "Payout 20.00 USD to noraok (Acme Partners), sandbox". */
export const payoutSummaryLine = (kind: string, payout: PayoutSummary): string => {
  const { amount, to, program } = headlineOf(payout);
  const end = `), ${RAILS[payout.rail].label}`;
  const start = `${kind} ${amount} to ${escapeMarkdown(to)} (`;
  return start + fitBytes(escapeMarkdown(program), SUMMARY_BYTES - Buffer.byteLength(start + end)) + end;
};

export const link = (text: string, url: string): string => `[${text}](${url})`;

/** Link to the list of workflows with this filter. */
export const listLink = (text: string, { workflows }: PayoutLinks, query: string): string[] =>
  workflows === null ? [] : [link(text, `${workflows}?query=${encodeURIComponent(query)}`)];

/** Who is paid what, and where to read on. Markdown. */
export const payoutDetails = ({ payload: payout }: { payload: PayoutSummary }, { links }: { links: PayoutLinks }): string => {
  const { amount, to, program } = headlineOf(payout);
  const more = [
    link('Payout', `${links.api}/payouts/${payout.payoutId}`),
    link('Timeline', `${links.api}/payouts/${payout.payoutId}/timeline`),
    ...listLink('All workflows of this payout', links, `WorkflowId STARTS_WITH "payout/${payout.payoutId}"`),
    ...listLink(
      'All payouts of this affiliate',
      links,
      `WorkflowId STARTS_WITH "payout/" AND AffiliateId = "${payout.affiliateId}"`,
    ),
  ];
  return [
    `**${amount}** to **${escapeMarkdown(to)}** (${escapeMarkdown(program)})`,
    `Rail: ${RAILS[payout.rail].label}, method: ${payout.method.replace('_', ' ')}`,
    more.join(' · '),
  ].join('\n\n');
};

/** The input without its timing and links. The order of its lines is the order in the Temporal UI. */
export const toApplicationInput = ({
  programName,
  ...application
}: ApplicationSummary): Omit<ApplicationReviewInput, 'timing' | 'links'> => ({ program: programName, ...application });

/** "Application to Acme Partners". */
export const applicationSummaryLine = ({ programName }: ApplicationSummary): string =>
  fitBytes(`Application to ${escapeMarkdown(programName)}`, SUMMARY_BYTES);

/** Which program, and where to read on. Markdown. */
export const applicationDetails = (
  { payload: application }: { payload: ApplicationSummary },
  { links }: { links: PayoutLinks },
): string => {
  const more = [
    link('Application', `${links.api}/applications/${application.applicationId}`),
    ...listLink(
      'All waiting applications of this program',
      links,
      `WorkflowType = "applicationReview" AND ProgramId = "${application.programId}" AND ExecutionStatus = "Running"`,
    ),
  ];
  return [
    `A person applied to **${escapeMarkdown(application.programName)}** and waits for the merchant.`,
    more.join(' · '),
  ].join('\n\n');
};

const SENDS_ONCE = 'Sends one event to one webhook endpoint again, once, as the merchant requested.';
const SENDS_WITH_RETRIES = 'Sends one event to one webhook endpoint, with retries.';

/** Markdown. */
export const deliveryDetails = (
  { subjectId, suffix, payload }: OutboxMessage<'webhook.deliver'>,
  { links }: { links: PayoutLinks },
): string =>
  [
    `${isResend({ suffix: suffix ?? '' }) ? SENDS_ONCE : SENDS_WITH_RETRIES} Delivery \`${subjectId}\`, endpoint \`${payload.endpointId}\`.`,
    [
      link('Delivery', `${links.api}/webhook-deliveries/${subjectId}`),
      link('Endpoint', `${links.api}/webhooks/${payload.endpointId}`),
    ].join(' · '),
  ].join('\n\n');

/** Markdown. */
export const replayDetails = ({ payload }: OutboxMessage<'webhook.replay'>, { links }: { links: PayoutLinks }): string =>
  [
    `Sends events of the past to one webhook endpoint again, after all others: those from ${payload.since} to ${payload.until}.`,
    [
      link('Replay', `${links.api}/webhook-replays/${payload.replayId}`),
      link('Endpoint', `${links.api}/webhooks/${payload.endpointId}`),
    ].join(' · '),
  ].join('\n\n');

/** Each has a workflow that is named after it, such as `flag/<id>`. */
const WITH_WORKFLOW: readonly string[] = ['application', 'flag', 'payout'];
/** Mails about these are limited: those beyond the limit are one mail about many. */
const LIMITED: readonly string[] = [...WITH_WORKFLOW, 'webhook endpoint'];
type MailSubject = 'application' | 'flag' | 'payout' | 'webhook endpoint' | 'merchant' | 'profile' | 'marketing resource';

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
  application_decided: ['Application decided, to the applicant', 'application'],
  payout_completed: ['Payout completed, to the affiliate', 'payout'],
  payout_failed: ['Payout failed, to the affiliate', 'payout'],
  payout_details_changed: ['Payout details changed, to the affiliate', 'profile'],
  resource_announced: ['New marketing resource, to the affiliate', 'marketing resource'],
  webhook_failing: ['Webhook endpoint fails, to the merchant', 'webhook endpoint'],
  webhook_disabled: ['Webhook endpoint disabled, to the merchant', 'webhook endpoint'],
  webhook_recovered: ['Webhook endpoint works again, to the merchant', 'webhook endpoint'],
};

/** "Payout completed, to the affiliate". */
export const mailTitle = ({ kind }: MailSummary): string => MAILS[kind][0];

/** A mail about many is about whom it is for. */
const isAboutMany = ({ subjectId, merchantId }: MailSummary): boolean => merchantId === null || subjectId === merchantId;

const subjectOf = (mail: MailSummary, { workflows }: PayoutLinks): string => {
  const about = MAILS[mail.kind][1];
  if (LIMITED.includes(about) && isAboutMany(mail)) return `About several ${about}s: there were too many for a mail about each.`;
  if (!WITH_WORKFLOW.includes(about)) return `About the ${about} \`${mail.subjectId}\``;
  const workflowId = `${about}/${mail.subjectId}`;
  return `About ${workflows === null ? `\`${workflowId}\`` : link(workflowId, `${workflows}/${encodeURIComponent(workflowId)}`)}`;
};

/** Markdown. Address and text are in the database only. */
export const mailDetails = ({ payload: mail }: { payload: MailSummary }, { links }: { links: PayoutLinks }): string =>
  [`Sends one mail, with retries for 72 hours: **${mailTitle(mail)}**.`, subjectOf(mail, links)].join('\n\n');
