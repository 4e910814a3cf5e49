import * as wf from '@temporalio/workflow';
import {
  PAYOUT_FAILED,
  type PayoutHeadline,
  type PayoutLifecycleResult,
  type PayoutSnapshot,
  type PayoutWorkflowInput,
} from '../../src/contracts/workflows.ts';
import { nextStepOf, reasonOf } from './payout-details.ts';

const headlineOf = ({ amount, to, program, rail, method }: PayoutHeadline): PayoutHeadline => ({
  amount,
  to,
  program,
  rail,
  method,
});

const resultOf = (input: PayoutWorkflowInput, payout: PayoutSnapshot): PayoutLifecycleResult => ({
  ...headlineOf(input),
  status: payout.status,
  reason: reasonOf(payout),
  next: nextStepOf(input, payout),
  payoutId: input.payoutId,
  amountMinor: input.amountMinor,
  currency: input.currency,
  attempts: payout.attempts,
  failureCode: payout.failureCode,
});

/** The result of a completed payout. A failed one ends its workflow as Failed: the list shows it without a filter. */
export const endPayout = (input: PayoutWorkflowInput, payout: PayoutSnapshot): PayoutLifecycleResult => {
  const result = resultOf(input, payout);
  if (payout.status === 'completed') return result;
  const failure = wf.ApplicationFailure.create({
    type: PAYOUT_FAILED,
    message: `${input.amount} to ${input.to} (${input.program}) failed: ${result.reason}`,
    nonRetryable: true,
    category: 'BENIGN',
    details: [result],
  });
  // An expected result has no stack trace worth showing; the worker's logger recognizes it by this line.
  failure.stack = `${PAYOUT_FAILED}: ${failure.message}`;
  throw failure;
};
