import pMap from 'p-map';
import { faultPoint } from '../../platform/fault-points.ts';
import type { Logger } from '../../platform/logger.ts';
import { withTraceParent } from '../../platform/tracing/trace-parent.ts';
import type { Dispatch } from './dispatch.ts';
import { causeOf, describeError, type FailureCause, RouteError, retryOf } from './dispatch-failure.ts';
import type { Lease, LeasedRow, LeaseResult } from './leases.ts';
import type { OutboxEntry, WorkflowStart } from './routing.ts';

export type Route = (entry: OutboxEntry) => WorkflowStart;

export interface DispatchOptions {
  dispatch: Dispatch;
  route: Route;
  log: Logger;
  /** Rows that are dispatched at the same time. */
  concurrency: number;
  /** Once aborted, no further row is dispatched. */
  signal: AbortSignal;
}

interface FailedDispatch {
  row: LeasedRow;
  error: unknown;
  cause: FailureCause;
}

/** Dispatches the rows of a lease. `isOutage`: none succeeded, for reasons that apply to any row. */
export const dispatchLease = async (
  options: DispatchOptions,
  lease: Lease,
): Promise<{ result: LeaseResult; isOutage: boolean }> => {
  const { signal, concurrency } = options;
  const done: string[] = [];
  const untouched: string[] = [];
  const failed: FailedDispatch[] = [];
  let outages = 0;
  const isOutage = () => done.length === 0 && outages > 0 && outages >= Math.min(concurrency, lease.rows.length);
  const dispatchOne = async (row: LeasedRow): Promise<void> => {
    const { seq } = row.entry;
    if (signal.aborted || isOutage() || !lease.isUsable()) return void untouched.push(seq);
    try {
      await dispatchEntry(options, row.entry);
      done.push(seq);
    } catch (error) {
      const cause = causeOf(error);
      if (cause !== 'row') outages++;
      failed.push({ row, error, cause });
    }
  };
  await pMap(lease.rows, dispatchOne, { concurrency });
  const failures = toFailures(options.log, failed, { othersSucceed: done.length > 0 });
  return { result: { done, failures, untouched }, isOutage: isOutage() };
};

const dispatchEntry = async ({ dispatch, route }: DispatchOptions, entry: OutboxEntry): Promise<void> => {
  const start = toStart(route, entry);
  await withTraceParent(entry.traceParent, () => dispatch(start));
  faultPoint('relay:after-start');
};

const toStart = (route: Route, entry: OutboxEntry): WorkflowStart => {
  try {
    return route(entry);
  } catch (error) {
    throw new RouteError(describeError(error));
  }
};

/** One line per batch: while Temporal is unavailable, every row fails. */
const toFailures = (
  log: Logger,
  failed: readonly FailedDispatch[],
  batch: { othersSucceed: boolean },
): LeaseResult['failures'] => {
  if (failed.length === 0) return [];
  const failures = failed.map(({ row, error, cause }) => ({
    seq: row.entry.seq,
    error: describeError(error),
    ...retryOf(row, cause, batch),
  }));
  const setApart = failures.filter((failure) => failure.failed).length;
  log.warn({ err: failed[0]?.error, rows: failed.length, failed: setApart }, 'outbox rows could not be relayed');
  return failures;
};
