export { PAYOUT_EVENTS } from './payouts.examples.ts';
export { countUnmatchedNotifications } from './rail-notifications.ts';
export { assertRailsUsable, createRails, type Rails, railConfigSchema } from './rails/rails.ts';
export { signalBlockedPayouts } from './signal-blocked-payouts.ts';
export { remindPayout } from './use-cases/remind-payout.ts';
export { returnPayout } from './use-cases/return-payout.ts';
export { settlePayout } from './use-cases/settle-payout.ts';
export { startAttempt } from './use-cases/start-attempt.ts';
export { submitAttempt } from './use-cases/submit-attempt.ts';
