import { recordCancellationRequest } from './use-cases/record-cancellation-request.ts';
import { remindPayout } from './use-cases/remind-payout.ts';
import { returnPayout } from './use-cases/return-payout.ts';
import { settlePayout } from './use-cases/settle-payout.ts';
import { startAttempt } from './use-cases/start-attempt.ts';
import { submitAttempt } from './use-cases/submit-attempt.ts';

/** The steps of payout workflows. Each runs at least once and is safe to repeat. */
export const PAYOUT_STEPS = {
  startAttempt,
  submitAttempt,
  settlePayout,
  remindPayout,
  recordCancellationRequest,
  returnPayout,
};
