import * as wf from '@temporalio/workflow';

const { nothing } = wf.proxyActivities<{ nothing(step: number): Promise<void> }>({
  startToCloseTimeout: '10s',
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
});
const { told } = wf.proxySinks<{ told: { ended(): void } }>();

/** As many steps as a payout's story has, and nothing in them. */
export async function steps(count: number): Promise<void> {
  for (let step = 1; step <= count; step++) await nothing(step);
  told.ended();
}

export async function empty(): Promise<void> {
  told.ended();
}
