import { loadPayout } from './use-cases/load-payout.ts';
import { lookUpPayout } from './use-cases/look-up-payout.ts';
import { recordCancellationRequest } from './use-cases/record-cancellation-request.ts';
import { remindPayout } from './use-cases/remind-payout.ts';
import { returnPayout } from './use-cases/return-payout.ts';
import { sendPayout } from './use-cases/send-payout.ts';

/** The steps of payout workflows. Each runs at least once and is safe to repeat. */
export const PAYOUT_STEPS = {
  sendPayout,
  lookUpPayout,
  loadPayout,
  remindPayout,
  recordCancellationRequest,
  returnPayout,
};
