export { exportPayouts } from './export-payouts.ts';
export { PAYOUT_STEPS } from './payout-steps.ts';
export { signalPendingPayouts } from './payout-workflow.ts';
export { PAYOUT_EVENTS } from './payouts.examples.ts';
export { countUnmatchedNotifications } from './rail-notifications.ts';
export { assertRailsUsable, createRails, type Rails, railConfigSchema } from './rails/rails.ts';
export { signalBlockedPayouts } from './signal-blocked-payouts.ts';
export { UNFINISHED_PAYOUTS } from './unfinished-payouts.ts';
export { deleteExpiredNotifications } from './use-cases/delete-expired-notifications.ts';
