import type { Tracing } from '../platform/tracing/tracer-provider.ts';
import type { TemporalTracing } from './temporal-tracing.ts';

/** The interceptors bring the tracing SDK, so they are loaded only while tracing is on. */
export const loadTemporalTracing = async (tracing: Tracing | null): Promise<TemporalTracing | null> => {
  if (!tracing) return null;
  const { createTemporalTracing } = await import('./temporal-tracing.ts');
  return createTemporalTracing(tracing);
};
