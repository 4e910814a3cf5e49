import { isRailQueue, QUEUES, type Queue } from '../src/contracts/workflows.ts';
import { STANDARD_SCHEDULE } from '../src/domains/webhooks/index.ts';
import { openMailer } from '../src/platform/mail/open-mailer.ts';
import { createOutbound } from '../src/platform/outbound/outbound.ts';
import type { Runtime } from '../src/runtime.ts';
import { VERSION } from '../src/version.ts';
import { applicationActivities } from './applications.ts';
import { digestActivities } from './digests.ts';
import { flagActivities } from './flags.ts';
import { type MailRuntime, mailActivities } from './mails.ts';
import { type PayoutActivityRuntime, payoutActivities, releaseActivities } from './payouts.ts';
import { retentionActivities } from './retention.ts';
import { type ScreeningRuntime, screeningActivities } from './screening.ts';
import { laneActivities } from './webhook-lanes.ts';
import { type WebhookRuntime, webhookActivities } from './webhooks.ts';

/** The activities that a worker of one queue registers. `stopping` ends the long-running ones. */
export const activitiesOf = (queue: Queue, runtime: Runtime, stopping: AbortSignal): object => {
  if (isRailQueue(queue)) return payoutActivities(payoutRuntimeOf(runtime));
  switch (queue) {
    case QUEUES.payouts:
      return payoutActivities(payoutRuntimeOf(runtime));
    // Contradictions are on this queue, too.
    case QUEUES.release:
      return { ...payoutActivities(payoutRuntimeOf(runtime)), ...releaseActivities(payoutRuntimeOf(runtime)) };
    case QUEUES.webhooks:
      return webhookActivities(webhookRuntimeOf(runtime));
    case QUEUES.webhookLanes:
      return laneActivities({ ...webhookRuntimeOf(runtime), stopping });
    case QUEUES.workflows:
      return {};
    case QUEUES.reviews:
      return {
        ...applicationActivities((name) => runtime.context({ kind: 'system', name })),
        ...flagActivities((actor) => runtime.context({ kind: 'system', ...actor })),
        ...retentionActivities({
          context: () => runtime.context({ kind: 'system', name: 'retention' }),
          removed: runtime.metrics.retentionRemoved,
        }),
        ...screeningActivities(screeningRuntimeOf(runtime)),
        ...digestActivities(() => runtime.context({ kind: 'system', name: 'digests' })),
      };
    case QUEUES.mail:
      return mailActivities(mailRuntimeOf(runtime));
  }
};

const webhookRuntimeOf = (runtime: Runtime): WebhookRuntime => ({
  context: (name) => runtime.context({ kind: 'system', name }),
  outbound: createOutbound({ policy: runtime.settings.outbound, userAgent: `Tributary/${VERSION}` }),
  schedule: runtime.settings.scaled(STANDARD_SCHEDULE),
  onAttempt: (outcome) => runtime.metrics.deliveryAttempts.inc({ outcome }),
});

const screeningRuntimeOf = (runtime: Runtime): ScreeningRuntime => ({
  context: () => runtime.context({ kind: 'system', name: 'screening' }),
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
