import * as wf from '@temporalio/workflow';
import { describeReturn, nextStepOfReturn } from '../src/contracts/workflows/payout.texts.ts';
import { type PayoutReturnInput, type PayoutReturnResult, RETURNED } from '../src/contracts/workflows/payout-return.ts';
import type { PayoutActivities } from '../src/contracts/workflows/payouts.ts';
import { QUEUES } from '../src/contracts/workflows/queues.ts';
import { activitiesOn, database } from './support/activities.ts';
import { ignoreCancellation } from './support/ignore-cancellation.ts';
import { publish } from './support/publish.ts';

const steps = () => activitiesOn<PayoutActivities>(QUEUES.payouts, database);

/** Records a payment that was returned after it was paid: the money is payable again and `payout.failed` is emitted. */
export async function payoutReturn(input: PayoutReturnInput): Promise<PayoutReturnResult> {
  const { payoutId, attemptId, amount, to, program, rail, method } = input;
  wf.setCurrentDetails(describeReturn(input, false));
  const record = () =>
    steps().recordCancellationRequest.executeWithOptions({ summary: 'Note the requested cancellation' }, [{ payoutId }]);
  const { outcome } = await ignoreCancellation(record, () =>
    steps().returnPayout.executeWithOptions({ summary: 'Record returned payment' }, [{ payoutId, attemptId }]),
  );
  wf.setCurrentDetails(describeReturn(input, true));
  publish(RETURNED);
  const next = nextStepOfReturn(input);
  const reason = 'the payment was returned';
  return { amount, to, program, rail, method, status: 'failed', reason, next, payoutId, outcome };
}
