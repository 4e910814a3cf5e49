import type { Context } from '../../../platform/context.ts';
import { execute, sql } from '../../../platform/database/sql.ts';
import type { SendReport } from '../../../platform/outbound/outbound.ts';
import type { DeliveryOutcome } from './classify-attempt.rules.ts';

/** An attempt that has ended. */
export interface FinishedAttempt {
  n: number;
  finishedAt: Date;
  report: SendReport;
  outcome: DeliveryOutcome;
}

interface Column {
  type: string;
  of(attempt: FinishedAttempt): unknown;
}

/** Columns of `webhook_attempt` that tell how an attempt ended. Values are JSON. Templates: P10 measures an update of many from records. */
const COLUMNS: Readonly<Record<string, Column>> = {
  finished_at: { type: 'timestamptz', of: ({ finishedAt }) => finishedAt.toISOString() },
  outcome: { type: 'text', of: ({ outcome }) => (outcome.succeeded ? 'succeeded' : 'failed') },
  error_code: { type: 'text', of: ({ outcome }) => outcome.error },
  http_status: { type: 'int', of: ({ report }) => report.response?.status ?? null },
  remote_ip: { type: 'inet', of: ({ report }) => report.remoteIp },
  tls: { type: 'text', of: ({ report }) => report.tls },
  ms_dns: { type: 'int', of: ({ report }) => report.timings.dnsMs },
  ms_connect: { type: 'int', of: ({ report }) => report.timings.connectMs },
  ms_tls: { type: 'int', of: ({ report }) => report.timings.tlsMs },
  ms_ttfb: { type: 'int', of: ({ report }) => report.timings.firstByteMs },
  ms_total: { type: 'int', of: ({ report }) => report.timings.totalMs },
  response_headers: { type: 'jsonb', of: ({ report }) => report.response?.headers ?? null },
  response_excerpt: { type: 'bytea', of: ({ report }) => hexOf(report.response?.excerpt) },
  truncated: { type: 'boolean', of: ({ report }) => report.response?.truncated ?? false },
};

const hexOf = (bytes: Buffer | undefined): string | null => (bytes ? `\\x${bytes.toString('hex')}` : null);

const columns = Object.entries(COLUMNS);

/** Columns of `toOutcomeRecord`, for `jsonb_to_record`. */
export const OUTCOME_COLUMNS = sql.raw(columns.map(([name, { type }]) => `${name} ${type}`).join(', '));

/** Assignments for `update webhook_attempt`, from a record `f`. */
export const SET_OUTCOME = sql.raw(columns.map(([name]) => `${name} = f.${name}`).join(', '));

/** Outcome of an attempt that recorded none: its process died or was cut off, so nobody knows whether the receiver got the event. */
export const LOST = { outcome: 'unknown', errorCode: 'worker_lost' } as const;

export const toOutcomeRecord = (attempt: FinishedAttempt): Record<string, unknown> =>
  Object.fromEntries(columns.map(([name, { of }]) => [name, of(attempt)]));

/** Records the outcome, also of an attempt that was marked as lost before. */
export const recordAttempt = async (ctx: Context, deliveryId: string, attempt: FinishedAttempt): Promise<void> => {
  await execute(
    ctx.em,
    sql`update webhook_attempt a set ${SET_OUTCOME}
      from jsonb_to_record(${JSON.stringify(toOutcomeRecord(attempt))}::jsonb) as f (${OUTCOME_COLUMNS})
      where a.delivery_id = ${deliveryId} and a.n = ${attempt.n}`,
  );
};
