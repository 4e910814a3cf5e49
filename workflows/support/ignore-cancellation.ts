import * as wf from '@temporalio/workflow';

import type { CancellationRequest } from '../../src/contracts/workflows/descriptor.ts';
import { describeCancellation } from '../../src/contracts/workflows/text.ts';

/** What the Temporal UI shows as the current details. */
export interface Page {
  show(details: string): void;
  /** Whether a requested cancellation is about to be noted: the workflow does not end before. */
  readonly isNoting: boolean;
  /** Resolves once nothing is. What a run says of its end comes in its last task: a reset to that one must not keep it. */
  noted(): Promise<void>;
}

interface Ignored {
  /** Notes the request, once. Undefined in histories of before it returned anything. */
  record(): Promise<CancellationRequest | undefined>;
  /** What to call instead; null once there is nothing to cancel. */
  instead(): string | null;
  /** The details with which it was started: Temporal does not pass them on to a run that continues another one. */
  details?(): string;
}

/**
 * Runs a workflow to its end although its cancellation is requested in the Temporal UI: only the API ends what it does. From then on
 * the page begins with who requested it, and what to call instead.
 */
export const ignoreCancellation = <T>(
  { record, instead, details = () => '' }: Ignored,
  run: (page: Page) => Promise<T>,
): Promise<T> => {
  let recorded: Promise<unknown> | undefined;
  let isNoting = false;
  let notice: ((instead: string | null) => string) | null = null;
  let shown = '';
  const page: Page = {
    show(current) {
      shown = current;
      const isContinued = wf.workflowInfo().continuedFromExecutionRunId !== undefined;
      const parts = [notice?.(instead()), current, isContinued ? details() : ''];
      wf.setCurrentDetails(parts.filter(Boolean).join('\n\n'));
    },
    get isNoting() {
      return isNoting;
    },
    async noted() {
      await recorded?.catch(() => {});
    },
  };
  wf.CancellationScope.current().cancelRequested.catch(() => {
    const requestedMs = Date.now();
    isNoting = true;
    recorded = wf.CancellationScope.nonCancellable(record)
      .finally(() => {
        isNoting = false;
      })
      .then((request) => {
        notice = (call) => describeCancellation({ by: null, at: new Date(requestedMs).toISOString(), ...request }, call);
        page.show(shown);
      });
    // Awaited below; a failure of the note must not fail the workflow.
    recorded.catch(() => {});
  });
  return wf.CancellationScope.nonCancellable(async () => {
    try {
      return await run(page);
    } finally {
      await page.noted();
    }
  });
};
