import { context, propagation, ROOT_CONTEXT } from '@opentelemetry/api';

/**
 * A position in a trace as a W3C `traceparent`, the only header that is read or passed on: `tracestate` and `baggage` hold
 * whatever the caller put there.
 */
const HEADER = 'traceparent';

/** The active span, for work that continues in another process. Null while tracing is off. */
export const currentTraceParent = (): string | null => {
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier);
  return carrier[HEADER] ?? null;
};

/** The context of a received position. Anything that is not one starts a new trace. */
export const contextOfTraceParent = (traceParent: unknown) =>
  typeof traceParent === 'string' ? propagation.extract(ROOT_CONTEXT, { [HEADER]: traceParent }) : ROOT_CONTEXT;

/** Runs work as a continuation of the trace that a row was written in. */
export const withTraceParent = <T>(traceParent: string | null | undefined, work: () => Promise<T>): Promise<T> =>
  traceParent ? context.with(contextOfTraceParent(traceParent), work) : work();
