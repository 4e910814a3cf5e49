import * as wf from '@temporalio/workflow';

const { nothing } = wf.proxyActivities<{ nothing(step: number): Promise<void> }>({
  startToCloseTimeout: '10s',
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
});
const { bench } = wf.proxySinks<{ bench: { ended(): void } }>();

/** A workflow whose activities do nothing: what Temporal itself costs. */
export async function steps(count: number): Promise<void> {
  for (let step = 1; step <= count; step++) await nothing(step);
  bench.ended();
}
