import * as wf from '@temporalio/workflow';
import {
  type PayoutActivities,
  type PayoutHeadline,
  type PayoutReturnInput,
  QUEUES,
  WORKFLOW_IDS,
} from '../src/contracts/workflows.ts';
import { activitiesOn } from './support/activities-on.ts';
import { database } from './support/activity-options.ts';
import { ignoreCancellation } from './support/ignore-cancellation.ts';
import { payeeOf } from './support/payout-details.ts';
import { workflowLink } from './support/workflow-link.ts';

const steps = () => activitiesOn<PayoutActivities>(QUEUES.payouts, database);

export interface PayoutReturnResult extends PayoutHeadline {
  status: 'failed';
  reason: string;
  next: string;
  payoutId: string;
  outcome: 'returned' | 'already_returned';
}

/** Records a payment that was returned after it was paid: the money is payable again and `payout.failed` is emitted. */
export async function payoutReturn(input: PayoutReturnInput): Promise<PayoutReturnResult> {
  const { payoutId, attemptId, amount, to, program, rail, method } = input;
  const next = `The money is payable again. POST /payouts/${payoutId}/retry creates a new payout.`;
  const show = (title: string) =>
    wf.setCurrentDetails(
      [
        `${title}: ${payeeOf(input)}`,
        `- Payout: ${workflowLink(WORKFLOW_IDS.payout(payoutId), input.links)}\n- **What to do**: ${next}`,
      ].join('\n\n'),
    );
  show('**Recording a returned payment**');
  const record = () =>
    steps().recordCancellationRequest.executeWithOptions({ summary: 'Note the requested cancellation' }, [{ payoutId }]);
  const { outcome } = await ignoreCancellation(record, () =>
    steps().returnPayout.executeWithOptions({ summary: 'Record returned payment' }, [{ payoutId, attemptId }]),
  );
  show('✗ **Returned**');
  wf.upsertSearchAttributes([
    { key: { name: 'State', type: 'KEYWORD' }, value: 'failed' },
    { key: { name: 'FailureCode', type: 'KEYWORD' }, value: 'returned' },
  ]);
  const reason = 'the payment was returned';
  return { amount, to, program, rail, method, status: 'failed', reason, next, payoutId, outcome };
}
