import { WORKFLOWS, type WorkflowType } from '../src/contracts/workflows/index.ts';
import type { Queue } from '../src/contracts/workflows/queues.ts';
import { STANDARD_SCHEDULE } from '../src/domains/webhooks/index.ts';
import { openMailer } from '../src/platform/mail/open-mailer.ts';
import { createOutbound } from '../src/platform/outbound/outbound.ts';
import type { Runtime } from '../src/runtime.ts';
import { VERSION } from '../src/version.ts';
import { applicationActivities } from './applications.ts';
import { bankFolderActivities } from './bank-folders.ts';
import { digestActivities } from './digests.ts';
import { flagActivities } from './flags.ts';
import { type MailRuntime, mailActivities } from './mails.ts';
import { type PayoutActivityRuntime, payoutActivities, payoutRunActivities, releaseActivities } from './payouts.ts';
import { reconciliationActivities } from './reconciliation.ts';
import { retentionActivities } from './retention.ts';
import { screeningActivities } from './screening.ts';
import { laneActivities } from './webhook-lanes.ts';
import { type WebhookRuntime, webhookActivities } from './webhooks.ts';

type CreateActivities = (runtime: Runtime, stopping: AbortSignal) => object;

const ofPayouts: CreateActivities = (runtime) => payoutActivities(payoutRuntimeOf(runtime));
const ofWebhooks: CreateActivities = (runtime) => webhookActivities(webhookRuntimeOf(runtime));

/** The activities of each type of workflow. `stopping` ends the long-running ones. */
const ACTIVITIES: Readonly<Record<WorkflowType, CreateActivities>> = {
  payoutLifecycle: ofPayouts,
  payoutCorrection: ofPayouts,
  payoutContradiction: ofPayouts,
  payoutRun: (runtime) => payoutRunActivities(payoutRuntimeOf(runtime)),
  applicationReview: ({ context }) => applicationActivities((name) => context({ kind: 'system', name })),
  flagReview: ({ context }) => flagActivities((actor) => context({ kind: 'system', ...actor })),
  webhookLane: (runtime, stopping) => laneActivities({ ...webhookRuntimeOf(runtime), stopping }),
  webhookDelivery: ofWebhooks,
  webhookReplay: ofWebhooks,
  screening: ({ context }) => screeningActivities({ context: () => context({ kind: 'system', name: 'screening' }) }),
  mailDelivery: (runtime) => mailActivities(mailRuntimeOf(runtime)),
  commissionRelease: (runtime) => releaseActivities(payoutRuntimeOf(runtime)),
  retention: ({ context, metrics }) =>
    retentionActivities({ context: () => context({ kind: 'system', name: 'retention' }), removed: metrics.retentionRemoved }),
  reconciliation: ({ context, rails }) =>
    reconciliationActivities({ context: () => context({ kind: 'system', name: 'reconciliation' }), rails }),
  bankFolders: ({ context, config }) =>
    bankFolderActivities({
      context: () => context({ kind: 'system', name: 'bankFolders' }),
      outbox: config.BANK_OUTBOX_DIR,
      inbox: config.BANK_INBOX_DIR,
    }),
  digests: ({ context }) => digestActivities(() => context({ kind: 'system', name: 'digests' })),
};

/** The activities that a worker of one queue registers: those of the workflows that use the queue. */
export const activitiesOf = (queue: Queue, runtime: Runtime, stopping: AbortSignal): object => {
  const used = Object.values(WORKFLOWS).filter(({ queues }) => queues.some((name) => name === queue));
  const creators = new Set(used.map(({ type }) => ACTIVITIES[type]));
  return Object.assign({}, ...[...creators].map((create) => create(runtime, stopping)));
};

const webhookRuntimeOf = (runtime: Runtime): WebhookRuntime => ({
  context: (name) => runtime.context({ kind: 'system', name }),
  outbound: createOutbound({ policy: runtime.settings.outbound, userAgent: `Tributary/${VERSION}` }),
  schedule: runtime.settings.scaled(STANDARD_SCHEDULE),
  onAttempt: (outcome) => runtime.metrics.deliveryAttempts.inc({ outcome }),
});

const mailRuntimeOf = ({ config, metrics, context }: Runtime): MailRuntime => ({
  context: () => context({ kind: 'system', name: 'mail' }),
  mailer: openMailer({ smtpUrl: config.SMTP_URL, from: config.MAIL_FROM, folder: config.MAILBOX_DIR }),
  tries: metrics.mailTries,
});

const payoutRuntimeOf = (runtime: Runtime): PayoutActivityRuntime => ({
  rails: runtime.rails,
  contextFor: (actor) => runtime.context({ kind: 'system', ...actor }),
  releaseFailures: runtime.metrics.releaseFailures,
});
