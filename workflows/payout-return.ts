import * as wf from '@temporalio/workflow';
import type { PayoutActivities, PayoutReturnInput } from '../src/contracts/workflows.ts';
import { database } from './support/activity-options.ts';

const { returnPayout } = wf.proxyActivities<PayoutActivities>(database);

/** Money that came back after it was paid: booked back to the affiliate and announced as `payout.failed`. */
export async function payoutReturn({ payoutId, attemptId }: PayoutReturnInput): Promise<{ outcome: string }> {
  const done = await returnPayout.executeWithOptions({ summary: 'Book the money that came back' }, [{ payoutId, attemptId }]);
  wf.upsertSearchAttributes([{ key: { name: 'State', type: 'KEYWORD' }, value: 'failed' }]);
  return done;
}
