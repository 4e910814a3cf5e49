import { randomInt } from 'node:crypto';
import { makeTelemetryFilterString, type TelemetryOptions } from '@temporalio/worker';

/** Below the range from which systems assign ports to outgoing connections. */
const PORTS = { min: 20_000, max: 32_000 };
const READ_TIMEOUT_MS = 2_000;
const MAX_TRIES = 20;

let exporterUrl: string | null = null;

/**
 * The SDK serves its metrics from an HTTP server of its own, on a fixed port. It gets a free one on the loopback interface,
 * and the metrics endpoint of the process passes its metrics on. `install` throws when a port is taken.
 */
export const withTemporalMetrics = (install: (telemetry: TelemetryOptions) => void): void => {
  for (let tries = 1; ; tries++) {
    const address = `127.0.0.1:${randomInt(PORTS.min, PORTS.max)}`;
    try {
      install({
        // The core's own messages: through the process's logger, like all others.
        logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }) },
        metrics: {
          attachServiceName: false,
          prometheus: { bindAddress: address, countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true },
        },
      });
      exporterUrl = `http://${address}/metrics`;
      return;
    } catch (error) {
      if (tries === MAX_TRIES) throw error;
    }
  }
};

/** The metrics of the Temporal SDK in Prometheus' text format; empty when they cannot be read. */
export const readTemporalMetrics = async (): Promise<string> => {
  if (exporterUrl === null) return '';
  try {
    const response = await fetch(exporterUrl, { signal: AbortSignal.timeout(READ_TIMEOUT_MS) });
    return response.ok ? await response.text() : '';
  } catch {
    return '';
  }
};
