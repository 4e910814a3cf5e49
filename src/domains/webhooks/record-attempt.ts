import type { Context } from '../../platform/context.ts';
import { execute, sql } from '../../platform/database/sql.ts';
import type { SendReport } from '../../platform/outbound/outbound.ts';
import type { DeliveryOutcome } from './classify-attempt.ts';

/** Records the outcome of an attempt, also of one that was marked as lost before. */
export const recordAttempt = async (
  ctx: Context,
  attempt: { deliveryId: string; n: number; report: SendReport },
  outcome: DeliveryOutcome,
): Promise<void> => {
  const { response, timings, remoteIp, tls } = attempt.report;
  await execute(
    ctx.em,
    sql`update webhook_attempt set
        finished_at = ${ctx.clock.now().toISOString()}::timestamptz,
        outcome = ${outcome.succeeded ? 'succeeded' : 'failed'},
        error_code = ${outcome.error},
        http_status = ${response?.status ?? null},
        remote_ip = ${remoteIp}::inet,
        tls = ${tls},
        ms_dns = ${timings.dnsMs}, ms_connect = ${timings.connectMs}, ms_tls = ${timings.tlsMs},
        ms_ttfb = ${timings.firstByteMs}, ms_total = ${timings.totalMs},
        response_headers = ${response ? JSON.stringify(response.headers) : null}::jsonb,
        response_excerpt = ${response?.excerpt ?? null},
        truncated = ${response?.truncated ?? false}
      where delivery_id = ${attempt.deliveryId}::uuid and n = ${attempt.n}`,
  );
};
