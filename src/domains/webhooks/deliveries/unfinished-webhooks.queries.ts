import { RUN_SUFFIXES } from '../../../contracts/webhooks.ts';
import { webhookDelivery } from '../../../contracts/workflows/webhook-delivery.ts';
import { webhookReplay } from '../../../contracts/workflows/webhook-replay.ts';
import { isoOf, sql } from '../../../platform/database/sql.ts';
import { type UnfinishedWorkSource, unfinishedRows } from '../../../platform/outbox/unfinished-rows.ts';

// Templates: conditions and columns of the statements that `unfinishedRows` writes.

const nthRestart = sql`${RUN_SUFFIXES.restart}::text || (restart_count + 1)`;
const nthResend = sql`${RUN_SUFFIXES.resend}::text || resend_count`;

const DELIVERY = {
  from: sql`webhook_delivery d`,
  id: sql`d.id`,
  payload: { merchantId: sql`d.merchant_id`, endpointId: sql`d.endpoint_id` },
};

/** Their first attempt failed. Each restart is a run of its own, which replaces the former one: it gets its name while the row is locked. */
const deliveries = unfinishedRows(webhookDelivery, {
  ...DELIVERY,
  name: 'webhook deliveries',
  isUnfinished: sql`d.status = 'pending' and not d.in_lane`,
  changedAt: sql`d.updated_at`,
  isQueued: sql`o.suffix not like ${`${RUN_SUFFIXES.resend}%`}`,
  openSuffix: sql`d.run_suffix`,
  suffix: nthRestart,
  lock: (id, suffix) => sql`update webhook_delivery set restart_count = restart_count + 1, run_suffix = ${suffix}
    where id = ${id}::uuid and status = 'pending' and not in_lane and ${suffix} = ${nthRestart} returning 1`,
});

/** Their attempt has no outcome yet. A restart is another run under the same id. */
const resends = unfinishedRows(webhookDelivery, {
  ...DELIVERY,
  name: 'webhook resends',
  isUnfinished: sql`d.resend_requested_at is not null`,
  changedAt: sql`d.resend_requested_at`,
  isQueued: sql`o.suffix = ${nthResend}`,
  suffix: nthResend,
  lock: (id, suffix) => sql`select 1 from webhook_delivery
    where id = ${id}::uuid and resend_requested_at is not null and ${suffix} = ${nthResend} for update`,
});

const replays = unfinishedRows(webhookReplay, {
  name: 'webhook replays',
  from: sql`webhook_replay r`,
  id: sql`r.id`,
  isUnfinished: sql`r.state = 'running'`,
  changedAt: sql`r.updated_at`,
  payload: {
    replayId: sql`r.id`,
    merchantId: sql`r.merchant_id`,
    endpointId: sql`r.endpoint_id`,
    since: isoOf(sql`r.since`),
    until: isoOf(sql`r.until`),
  },
});

/** Work of this domain that a workflow carries out. What waits in a lane needs none of its own: lanes look for it themselves. */
export const unfinishedWebhooks: readonly UnfinishedWorkSource[] = [deliveries, resends, replays];
