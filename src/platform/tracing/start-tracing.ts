import type { Logger } from '../logger.ts';
import type { Tracing } from './tracer-provider.ts';

export interface TracingOptions {
  /** Base URL of an OpenTelemetry collector. */
  endpoint: string | undefined;
  service: string;
  log: Logger;
}

/** Without an endpoint nothing is recorded, and the SDK is not even loaded. */
export const startTracing = async ({ endpoint, ...options }: TracingOptions): Promise<Tracing | null> => {
  if (endpoint === undefined) return null;
  const { openTracerProvider } = await import('./tracer-provider.ts');
  return openTracerProvider({ endpoint, ...options });
};
