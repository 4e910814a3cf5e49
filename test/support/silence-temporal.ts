import { DefaultLogger, Runtime } from '@temporalio/worker';

/** Discards the log of the Temporal SDK, for tests that make it fail. Call it before the SDK is used. */
export const silenceTemporal = (): void => {
  const telemetryOptions = { logging: { filter: { core: 'ERROR', other: 'ERROR' }, forward: {} } } as const;
  Runtime.install({ logger: new DefaultLogger('ERROR', () => {}), telemetryOptions, shutdownSignals: [] });
};
