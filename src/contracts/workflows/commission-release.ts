import type { WorkflowDescriptor } from './descriptor.ts';
import { QUEUES } from './queues.ts';

export interface ReleaseActivities {
  /** Approves one batch of commissions whose hold period has ended. `failed` are affiliates that were skipped. */
  releaseCommissions(input: { limit: number }): Promise<{ released: number; more: boolean; failed: string[] }>;
}

export const commissionRelease = {
  type: 'commissionRelease',
  namespace: 'background',
  queues: [QUEUES.release],
  schedule: {
    id: 'commission-release',
    interval: null,
    catchupWindow: '1 minute',
    summary: 'Approve commissions whose hold period has ended',
    details: 'Started by a worker while commissions are due. Pause its Schedule to stop every approval.',
  },
} as const satisfies WorkflowDescriptor;
