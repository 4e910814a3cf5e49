export { PAYOUT_EVENTS } from './payouts.examples.ts';
export { createRails, type Rails } from './rails/rails.ts';
export { remindPayout } from './use-cases/remind-payout.ts';
export { returnPayout } from './use-cases/return-payout.ts';
export { submitAttempt } from './use-cases/send-attempt.ts';
export { settlePayout } from './use-cases/settle-payout.ts';
export { startAttempt } from './use-cases/start-attempt.ts';
