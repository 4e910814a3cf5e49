export { commissionRelease } from './commission-release.ts';
export { payoutContradiction } from './payout-contradiction.ts';
export { payoutLifecycle } from './payout-lifecycle.ts';
export { payoutReturn } from './payout-return.ts';
export { retention } from './retention.ts';
export { screening } from './screening.ts';
export { webhookDelivery } from './webhook-delivery.ts';
export { webhookLane } from './webhook-lane.ts';
