import { type ReplayInput, RUN_SUFFIXES } from '../../contracts/webhooks.ts';
import { webhookDelivery } from '../../contracts/workflows/webhook-delivery.ts';
import { webhookReplay } from '../../contracts/workflows/webhook-replay.ts';
import { firstRow, isoOf, type RawBuilder, rows, sql } from '../../platform/database/sql.ts';
import { FIRST_ID } from '../../platform/ids.ts';
import { enqueue } from '../../platform/outbox/outbox.ts';
import { type UnfinishedWorkSource, unfinishedRows } from '../../platform/outbox/unfinished-rows.ts';

/** Deliveries that need a workflow. Expressions are over `d`. */
interface UnfinishedRuns {
  name: string;
  isUnfinished: RawBuilder<unknown>;
  changedAt: RawBuilder<unknown>;
  /** Of an outbox row `o` that starts the workflow. */
  isQueued: RawBuilder<unknown>;
  /** The run that should exist. */
  suffix: RawBuilder<unknown>;
  /** The run to start in its place. */
  restartSuffix: RawBuilder<unknown>;
  /** Locks the delivery and names the new run, if that is still the next one. */
  restart(id: string, suffix: string | null): RawBuilder<unknown>;
}

interface Run {
  id: string;
  merchantId: string;
  endpointId: string;
  suffix: string;
  restartSuffix: string;
}

const unfinishedRuns = (of: UnfinishedRuns): UnfinishedWorkSource => ({
  name: of.name,
  async list(ctx, { after, before, limit }) {
    const found = await rows(
      ctx.em,
      sql<Run>`select d.id, d.merchant_id as "merchantId", d.endpoint_id as "endpointId", ${of.suffix} as suffix,
          ${of.restartSuffix} as "restartSuffix"
        from webhook_delivery d
        where ${of.isUnfinished} and d.id > ${after ?? FIRST_ID}::uuid and ${of.changedAt} < ${before.toISOString()}::timestamptz
          and not exists (select 1 from outbox o where o.topic = 'webhook.deliver' and o.subject_id = d.id and ${of.isQueued})
        order by d.id limit ${limit}`,
    );
    return found.map(({ id, suffix, restartSuffix, ...payload }) => ({
      id,
      workflowIds: [webhookDelivery.id(id, suffix)],
      message: { topic: 'webhook.deliver', subjectId: id, suffix: restartSuffix, payload, reconciled: true },
    }));
  },
  async restart(ctx, { id, message }) {
    if (await firstRow(ctx.em, of.restart(id, message.suffix))) await enqueue(ctx, message);
  },
});

const nthRestart = sql`${RUN_SUFFIXES.restart}::text || (restart_count + 1)`;
const nthResend = sql`${RUN_SUFFIXES.resend}::text || resend_count`;

/** Their first attempt failed. Each restart is a run of its own, which replaces the former one. */
const deliveries = unfinishedRuns({
  name: 'webhook deliveries',
  isUnfinished: sql`d.status = 'pending' and not d.in_lane`,
  changedAt: sql`d.updated_at`,
  isQueued: sql`o.suffix not like ${`${RUN_SUFFIXES.resend}%`}`,
  suffix: sql`d.run_suffix`,
  restartSuffix: nthRestart,
  restart: (id, suffix) => sql`update webhook_delivery set restart_count = restart_count + 1, run_suffix = ${suffix}
    where id = ${id}::uuid and status = 'pending' and not in_lane and ${suffix} = ${nthRestart} returning 1`,
});

/** Their attempt has no outcome yet. A restart is another run under the same id. */
const resends = unfinishedRuns({
  name: 'webhook resends',
  isUnfinished: sql`d.resend_requested_at is not null`,
  changedAt: sql`d.resend_requested_at`,
  isQueued: sql`o.suffix = ${nthResend}`,
  suffix: nthResend,
  restartSuffix: nthResend,
  restart: (id, suffix) => sql`select 1 from webhook_delivery
    where id = ${id}::uuid and resend_requested_at is not null and ${suffix} = ${nthResend} for update`,
});

const replays = unfinishedRows<ReplayInput>({
  name: 'webhook replays',
  from: sql`webhook_replay r`,
  id: sql`r.id`,
  isUnfinished: sql`r.state = 'running'`,
  changedAt: sql`r.updated_at`,
  topics: ['webhook.replay'],
  payload: {
    replayId: sql`r.id`,
    merchantId: sql`r.merchant_id`,
    endpointId: sql`r.endpoint_id`,
    since: isoOf(sql`r.since`),
    until: isoOf(sql`r.until`),
  },
  messageOf: (payload) => ({ topic: 'webhook.replay', subjectId: payload.replayId, suffix: '', payload }),
  workflowIdOf: webhookReplay.id,
});

/** Work of this domain that a workflow carries out. What waits in a lane needs none of its own: lanes look for it themselves. */
export const unfinishedWebhooks: readonly UnfinishedWorkSource[] = [deliveries, resends, replays];
