import { type AuditReport, type ReceivedWebhook, runAudit, sandboxTransfers } from '../../src/audit/index.ts';
import { temporalAccess } from '../../src/config.ts';
import { HELD_CONVERSION } from '../../src/domains/conversions/index.ts';
import { firstRow, type RawBuilder, sql } from '../../src/platform/database/sql.ts';
import type { Runtime } from '../../src/runtime.ts';
import { openTemporal } from '../../src/temporal/client.ts';
import { operator, receivedBy } from '../chaos/support/settled.ts';
import type { Receiver } from '../support/receiver/receiver.ts';
import type { World } from './world.ts';

const one = async <T>(runtime: Runtime, query: RawBuilder<T>): Promise<T> => {
  const row = await firstRow(operator(runtime).em, query);
  if (!row) throw new Error('the query returned no row');
  return row;
};

/** What time alone will change: commissions in their hold period that nothing holds, and payouts in progress. */
export const countDue = (runtime: Runtime): Promise<{ commissions: number; payouts: number }> =>
  one(
    runtime,
    sql<{ commissions: number; payouts: number }>`select
      (select count(*)::int from conversion c join affiliate a on a.id = c.affiliate_id where c.approved_at is null
        and c.status in ('pending','partially_refunded') and a.status = 'approved' and not ${HELD_CONVERSION}) as commissions,
      (select count(*)::int from payout where status in ('pending','processing') and not needs_attention) as payouts`,
  );

/** What waits for a person at the end. */
export interface Waiting {
  payouts: number;
  flags: number;
  applications: number;
}

export const countWaiting = (runtime: Runtime): Promise<Waiting> =>
  one(
    runtime,
    sql<Waiting>`select (select count(*)::int from payout where needs_attention) as payouts,
      (select count(*)::int from flag where status = 'open') as flags,
      (select count(*)::int from application where status = 'pending') as applications`,
  );

export interface WebhookCounts {
  events: number;
  deliveries: number;
  /** Deliveries that did not succeed. */
  undelivered: number;
  attempts: number;
}

export const countWebhooks = (runtime: Runtime): Promise<WebhookCounts> =>
  one(
    runtime,
    sql<WebhookCounts>`select (select count(*)::int from webhook_event) as events,
      (select count(*)::int from webhook_delivery) as deliveries,
      (select count(*)::int from webhook_delivery where status <> 'succeeded') as undelivered,
      (select count(*)::int from webhook_attempt) as attempts`,
  );

/** Internal steps may take this long: a release or a deadline can be due at the very moment of the audit. */
const PROMPT_MS = 15_000;

/** Checks all invariants. `urls` names endpoints that reach the receiver by another address. */
export const auditWorld = async (
  { system, acknowledged }: World,
  receiver: Receiver,
  urls: ReadonlyMap<string, string>,
): Promise<AuditReport> => {
  const { config } = system.runtime;
  const temporal = openTemporal(temporalAccess(config));
  try {
    const received = await receivedBy(receiver);
    return await runAudit({
      ctx: operator(system.runtime),
      provider: sandboxTransfers(system.sandbox),
      temporal: temporal.clients,
      queuePrefix: config.TEMPORAL_QUEUE_PREFIX,
      received: received.map((webhook): ReceivedWebhook => ({ ...webhook, url: urls.get(webhook.url) ?? webhook.url })),
      acknowledged,
      budgets: { payoutMs: PROMPT_MS, promptMs: PROMPT_MS },
    });
  } finally {
    await temporal.close();
  }
};
