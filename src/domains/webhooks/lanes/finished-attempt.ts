import { after } from '../../../platform/clock.ts';
import { type RawBuilder, sql } from '../../../platform/database/sql.ts';
import type { SendReport } from '../../../platform/outbound/outbound.ts';
import type { DeliveryOutcome } from '../classify-attempt.ts';
import { type DeliverySchedule, waitAfter } from '../schedule.ts';
import type { WaitingDelivery } from './lanes.queries.ts';

/** An attempt of a lane whose outcome is not recorded yet. */
export interface FinishedAttempt {
  delivery: WaitingDelivery;
  n: number;
  finishedAt: Date;
  report: SendReport;
  outcome: DeliveryOutcome;
}

/** The columns of `toFinishedRow`, for `jsonb_to_recordset`. */
export const FINISHED_COLUMNS: RawBuilder<unknown> = sql.raw(`delivery_id uuid, event_id uuid, n int, finished_at timestamptz,
  outcome text, error_code text, http_status int, remote_ip inet, tls text, ms_dns int, ms_connect int, ms_tls int, ms_ttfb int,
  ms_total int, response_headers jsonb, response_excerpt text, truncated boolean, next_status text, next_attempt_at timestamptz`);

/** What becomes of a delivery after a failed attempt. */
const nextOf = ({ outcome, delivery }: FinishedAttempt, schedule: DeliverySchedule, now: Date) => {
  if (outcome.succeeded) return { next_status: null, next_attempt_at: null };
  const waitMs = waitAfter(schedule, delivery.autoAttempts + 1, outcome.minWaitMs);
  if (waitMs === null) return { next_status: 'exhausted', next_attempt_at: null };
  return { next_status: 'pending', next_attempt_at: after(now, waitMs).toISOString() };
};

/** One record of the statement that stores the attempt. */
export const toFinishedRow = (attempt: FinishedAttempt, schedule: DeliverySchedule, now: Date): Record<string, unknown> => {
  const { delivery, n, finishedAt, outcome, report } = attempt;
  const { response, timings, remoteIp, tls } = report;
  return {
    delivery_id: delivery.id,
    event_id: delivery.eventId,
    n,
    finished_at: finishedAt.toISOString(),
    outcome: outcome.succeeded ? 'succeeded' : 'failed',
    error_code: outcome.error,
    http_status: response?.status ?? null,
    remote_ip: remoteIp,
    tls,
    ms_dns: timings.dnsMs,
    ms_connect: timings.connectMs,
    ms_tls: timings.tlsMs,
    ms_ttfb: timings.firstByteMs,
    ms_total: timings.totalMs,
    response_headers: response?.headers ?? null,
    response_excerpt: response?.excerpt.toString('base64') ?? null,
    truncated: response?.truncated ?? false,
    ...nextOf(attempt, schedule, now),
  };
};
