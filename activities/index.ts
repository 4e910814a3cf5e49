import { QUEUES, type Queue } from '../src/contracts/workflows.ts';
import { STANDARD_SCHEDULE } from '../src/domains/webhooks/index.ts';
import { createOutbound } from '../src/platform/outbound/outbound.ts';
import type { Runtime } from '../src/runtime.ts';
import { VERSION } from '../src/version.ts';
import { payoutActivities } from './payouts.ts';
import { webhookActivities } from './webhooks.ts';

/** The steps that a worker of one queue can do. */
export const activitiesOf = (queue: Queue, runtime: Runtime): object => {
  switch (queue) {
    case QUEUES.payouts:
      return payoutActivities({ rails: runtime.rails, contextFor: (story) => runtime.context({ kind: 'system', ...story }) });
    case QUEUES.webhooks:
      return webhookActivities({
        context: (name) => runtime.context({ kind: 'system', name }),
        outbound: createOutbound({ policy: runtime.settings.outbound, userAgent: `Tributary/${VERSION}` }),
        schedule: STANDARD_SCHEDULE,
      });
    case QUEUES.reviews:
      return {};
  }
};
