import * as wf from '@temporalio/workflow';

/**
 * Runs a workflow to its end although its cancellation is requested in the Temporal UI: money may be on its way. `record`
 * notes the request, once.
 */
export const ignoreCancellation = <T>(record: () => Promise<void>, run: () => Promise<T>): Promise<T> => {
  let recorded: Promise<void> | undefined;
  wf.CancellationScope.current().cancelRequested.catch(() => {
    recorded = wf.CancellationScope.nonCancellable(record);
    // Awaited below; a failure of the note must not fail the payout.
    recorded.catch(() => {});
  });
  return wf.CancellationScope.nonCancellable(async () => {
    try {
      return await run();
    } finally {
      await recorded?.catch(() => {});
    }
  });
};
