import * as wf from '@temporalio/workflow';
import type { PayoutActivities, PayoutReturnInput } from '../src/contracts/workflows.ts';
import { database } from './support/activity-options.ts';

const { returnPayout } = wf.proxyActivities<PayoutActivities>(database);

/** Records a payment that was returned after it was paid: the money is payable again and `payout.failed` is emitted. */
export async function payoutReturn({ payoutId, attemptId }: PayoutReturnInput): Promise<{ outcome: string }> {
  const result = await returnPayout.executeWithOptions({ summary: 'Record returned payment' }, [{ payoutId, attemptId }]);
  wf.upsertSearchAttributes([{ key: { name: 'State', type: 'KEYWORD' }, value: 'failed' }]);
  return result;
}
