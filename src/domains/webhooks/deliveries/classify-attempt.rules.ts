import type { DeliveryError } from '../../../contracts/webhooks.ts';
import { readRetryAfter } from '../../../platform/http/retry-after.ts';
import type { SendReport } from '../../../platform/outbound/outbound.ts';

/** The outcome of an attempt. */
export interface DeliveryOutcome {
  succeeded: boolean;
  error: DeliveryError | null;
  /** Minimum wait requested by the receiver with Retry-After; 0 if none. */
  minWaitMs: number;
}

const errorOf = (status: number): DeliveryError => {
  if (status === 410) return 'gone';
  if (status >= 300 && status < 400) return 'http_3xx';
  if (status >= 400 && status < 500) return 'http_4xx';
  return status >= 500 && status < 600 ? 'http_5xx' : 'bad_response';
};

/** Any 2xx is a success, whatever the body. A redirect is a failure and is never followed. */
export const classifyAttempt = (report: SendReport, now: Date): DeliveryOutcome => {
  const { response } = report;
  if (!response) return { succeeded: false, error: report.error ?? 'bad_response', minWaitMs: 0 };
  if (response.status >= 200 && response.status < 300) return { succeeded: true, error: null, minWaitMs: 0 };
  return { succeeded: false, error: errorOf(response.status), minWaitMs: readRetryAfter(response.retryAfter, now) };
};
