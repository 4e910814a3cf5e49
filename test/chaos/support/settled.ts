import type { Acknowledged, Repeats } from '../../../src/audit/index.ts';
import { type AuditReport, type ReceivedWebhook, runAudit, sandboxTransfers } from '../../../src/audit/index.ts';
import { HELD_CONVERSION } from '../../../src/domains/conversions/index.ts';
import { firstRow, sql } from '../../../src/platform/database/sql.ts';
import type { Runtime } from '../../../src/runtime.ts';
import type { TemporalClient } from '../../../src/temporal/client.ts';
import { bytesOf, headerOf, type Receiver } from '../../support/receiver/receiver.ts';
import type { Sandbox } from '../../support/sandbox.ts';
import { until } from '../../support/until.ts';

/** Recovery from any crash, as docs/reliability.md promises it. */
export const RECOVERY_MS = 60_000;

export interface Audited {
  runtime: Runtime;
  sandbox: Sandbox;
  temporal?: TemporalClient;
}

/** What only the test can know. */
export interface Observations {
  receiver?: Receiver;
  acknowledged?: readonly Acknowledged[];
  repeats?: readonly Repeats[];
}

interface Unfinished {
  outbox: number;
  payouts: number;
  notifications: number;
  deliveries: number;
  attempts: number;
  unscreened: number;
  due: number;
  mails: number;
}

export const operator = (runtime: Runtime) => runtime.context({ kind: 'system', name: 'chaos' });

const countUnfinished = async (runtime: Runtime): Promise<Unfinished> => {
  const open = await firstRow(
    operator(runtime).em,
    sql<Unfinished>`select (select count(*)::int from outbox) as outbox,
      (select count(*)::int from payout where status in ('pending','processing') and not needs_attention) as payouts,
      (select count(*)::int from rail_notification where handled_at is null and attempt_id is not null) as notifications,
      (select count(*)::int from webhook_delivery where status = 'pending') as deliveries,
      (select count(*)::int from conversion where screened_at is null) as unscreened,
      (select count(*)::int from conversion c join affiliate a on a.id = c.affiliate_id and a.status = 'approved'
        where c.screened_at is not null and c.approved_at is null and c.release_at <= now()
          and c.status in ('pending','partially_refunded') and not ${HELD_CONVERSION}) as due,
      (select count(*)::int from webhook_attempt where outcome is null) as attempts,
      (select count(*)::int from mail where status = 'queued') as mails`,
  );
  if (!open) throw new Error('the query returned no row');
  return open;
};

export const untilSettled = (runtime: Runtime) =>
  until(
    'no work is left',
    () => countUnfinished(runtime).catch(() => null),
    (open) => open !== null && Object.values(open).every((count) => count === 0),
  );

export const receivedBy = async (receiver: Receiver): Promise<ReceivedWebhook[]> =>
  (await receiver.received('/')).map((request) => ({
    url: receiver.url(request.path),
    eventId: headerOf(request, 'webhook-id'),
    body: bytesOf(request),
  }));

/** Checks all invariants of a system without unfinished work. */
export const audit = async (system: Audited, observations: Observations = {}): Promise<AuditReport> =>
  runAudit({
    ctx: operator(system.runtime),
    provider: sandboxTransfers(system.sandbox),
    temporal: system.temporal?.clients ?? null,
    received: observations.receiver ? await receivedBy(observations.receiver) : null,
    acknowledged: observations.acknowledged ?? null,
    repeats: observations.repeats ?? null,
    budgets: { payoutMs: 0, promptMs: 0 },
  });
