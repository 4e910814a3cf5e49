import { Refusal } from '../../../platform/errors.ts';
import type { PayoutRail, RailAnswer } from './rail.ts';

const handedOver: RailAnswer = {
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
  verifyNotice() {
    throw new Refusal('NOT_FOUND', 'The manual rail has no notices');
  },
  close: async () => undefined,
};
