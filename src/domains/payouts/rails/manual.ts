import { AppError } from '../../../platform/errors.ts';
import type { PayoutRail, RailResult } from './rail.ts';

const handedOver: RailResult = {
  outcome: 'accepted',
  railReference: null,
  failureCode: null,
  problem: null,
  needsPerson: false,
  request: {},
  response: {},
};

/** The default rail: somebody pays by their own means and marks the payout. Asking tells nothing new. */
export const manualRail: PayoutRail = {
  name: 'manual',
  byHand: true,
  repeatWindowMs: 0,
  submit: async () => handedOver,
  lookUp: async () => handedOver,
  verifyNotification() {
    throw new AppError('NOT_FOUND', 'The manual rail has no notifications');
  },
  close: async () => undefined,
};
