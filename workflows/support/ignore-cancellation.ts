import * as wf from '@temporalio/workflow';

/**
 * Runs a workflow to its end although its cancellation is requested in the Temporal UI: only the API ends what it does. `record`
 * notes the request, once.
 */
export const ignoreCancellation = <T>(record: () => Promise<unknown>, run: () => Promise<T>): Promise<T> => {
  let recorded: Promise<unknown> | undefined;
  wf.CancellationScope.current().cancelRequested.catch(() => {
    recorded = wf.CancellationScope.nonCancellable(record);
    // Awaited below; a failure of the note must not fail the workflow.
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
