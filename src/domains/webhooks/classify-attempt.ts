import type { DeliveryError } from '../../contracts/webhooks.ts';
import type { SendReport } from '../../platform/outbound/outbound.ts';
import { readRetryAfter } from './retry-after.ts';

/** What an attempt's report means for its delivery. */
export interface DeliveryOutcome {
  succeeded: boolean;
  error: DeliveryError | null;
  /** Milliseconds that the receiver asked for; 0 when it did not. */
  floorMs: number;
}

const errorOf = (status: number): DeliveryError => {
  if (status === 410) return 'gone';
  if (status >= 300 && status < 400) return 'http_3xx';
  if (status >= 400 && status < 500) return 'http_4xx';
  return status >= 500 && status < 600 ? 'http_5xx' : 'bad_response';
};

/** Any 2xx is a success, whatever the body. A redirect is a failure: it is never followed. */
export const classifyAttempt = (report: SendReport, now: Date): DeliveryOutcome => {
  const { answer } = report;
  if (!answer) return { succeeded: false, error: report.error ?? 'bad_response', floorMs: 0 };
  if (answer.status >= 200 && answer.status < 300) return { succeeded: true, error: null, floorMs: 0 };
  return { succeeded: false, error: errorOf(answer.status), floorMs: readRetryAfter(answer.retryAfter, now) };
};
