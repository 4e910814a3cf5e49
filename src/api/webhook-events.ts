import { AFFILIATE_EVENTS } from '../domains/affiliates/index.ts';
import { APPLICATION_EVENTS } from '../domains/applications/index.ts';
import { CONVERSION_EVENTS } from '../domains/conversions/index.ts';
import { FLAG_EVENTS } from '../domains/flags/index.ts';
import { PAYOUT_RUN_EVENTS } from '../domains/payout-runs/index.ts';
import { PAYOUT_EVENTS } from '../domains/payouts/index.ts';
import { PROGRAM_EVENTS } from '../domains/programs/index.ts';
import type { EventCatalog } from '../platform/event-definition.ts';

/** Every published event. OpenAPI documents them, and test deliveries send their examples. */
export const WEBHOOK_EVENTS: EventCatalog = {
  ...PROGRAM_EVENTS,
  ...AFFILIATE_EVENTS,
  ...APPLICATION_EVENTS,
  ...CONVERSION_EVENTS,
  ...PAYOUT_EVENTS,
  ...PAYOUT_RUN_EVENTS,
  ...FLAG_EVENTS,
};
