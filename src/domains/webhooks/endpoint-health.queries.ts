import { COUNT_MAX } from '../../contracts/limits.ts';
import type { DeliveryError, DeliveryStatus, DisabledReason, EndpointStatus } from '../../contracts/webhooks.ts';
import { after, DAY_MS } from '../../platform/clock.ts';
import { type Context, merchantOf } from '../../platform/context.ts';
import { firstRowOfEach, sql, toIso, toIsoOrNull } from '../../platform/database/sql.ts';
import { forbidden, notFound } from '../../platform/errors.ts';
import type { EndpointHealthView } from './endpoint-health.wire.ts';
import { nextStepsFor } from './next-steps.ts';

/** The newest deliveries whose attempts are looked at, each with its newest attempts: more than the schedule has. */
const MAX_DELIVERIES = 1_000;
const MAX_ATTEMPTS = 12;

interface EndpointRow {
  merchantId: string;
  status: EndpointStatus;
  disabledReason: DisabledReason | null;
  disabledAt: string | null;
  failingSince: string | null;
  breakerUntil: string | null;
  breakerFailures: number;
}

interface Counts {
  pending: number;
  parked: number;
  exhausted: number;
  oldestPendingAt: string | null;
  newestSuccessAt: string | null;
}

interface Recent {
  lookedAt: number;
  oldestAt: string | null;
  attempts: number;
  succeeded: number;
  lastSuccessAt: string | null;
  lastFailureAt: string | null;
  lastErrorCode: DeliveryError | null;
}

const NOTHING: Counts & Recent = {
  ...{ pending: 0, parked: 0, exhausted: 0, oldestPendingAt: null, newestSuccessAt: null, lookedAt: 0, oldestAt: null },
  ...{ attempts: 0, succeeded: 0, lastSuccessAt: null, lastFailureAt: null, lastErrorCode: null },
};

/**
 * The state of one endpoint, in one statement. All parts read a bounded number of rows by index, whatever the traffic: counts stop
 * at `COUNT_MAX`, and attempts are those of the newest deliveries. Throws like `getWebhookEndpoint`.
 */
export const getWebhookEndpointHealth = async (ctx: Context, id: string): Promise<EndpointHealthView> => {
  const dayAgo = after(ctx.clock.now(), -DAY_MS).toISOString();
  const found = await firstRowOfEach(ctx.em, { endpoint: endpointRow(id), counts: countsOf(id), recent: attemptsOf(id, dayAgo) });
  const { endpoint, counts, recent } = found;
  if (!endpoint) throw notFound('Webhook endpoint');
  if (endpoint.merchantId !== merchantOf(ctx)) throw forbidden();
  return toHealth(id, endpoint, { ...NOTHING, ...counts, ...recent }, dayAgo);
};

const endpointRow = (id: string) => sql<EndpointRow>`
  select merchant_id as "merchantId", status, disabled_reason as "disabledReason", disabled_at as "disabledAt",
    failing_since as "failingSince", breaker_until as "breakerUntil", breaker_failures as "breakerFailures"
  from webhook_endpoint where id = ${id}::uuid and deleted_at is null`;

const inStatus = (id: string, status: DeliveryStatus) =>
  sql`webhook_delivery where endpoint_id = ${id}::uuid and status = ${status}`;

const countOf = (id: string, status: DeliveryStatus, where = sql`true`) =>
  sql`(select count(*)::int from (select from ${inStatus(id, status)} and ${where} limit ${COUNT_MAX}) counted)`;

/** No replay sends the others. */
const isNoTest = sql`trigger <> 'test'`;

const countsOf = (id: string) => sql<Counts>`
  select ${countOf(id, 'pending')} as pending, ${countOf(id, 'parked')} as parked, ${countOf(id, 'exhausted', isNoTest)} as exhausted,
    (select created_at from ${inStatus(id, 'pending')} order by created_at, id limit 1) as "oldestPendingAt",
    (select updated_at from ${inStatus(id, 'succeeded')} order by created_at desc, id desc limit 1) as "newestSuccessAt"`;

/** From delivery to delivery by their keys: attempts have no index by time. */
const attemptsOf = (id: string, dayAgo: string) => sql<Recent>`
  with newest as (
    select id, created_at from webhook_delivery where endpoint_id = ${id}::uuid
    order by created_at desc, id desc limit ${sql.raw(String(MAX_DELIVERIES))}
  ), made as (
    select a.* from newest cross join lateral (
      select outcome, error_code, finished_at from webhook_attempt where delivery_id = newest.id
      order by n desc limit ${sql.raw(String(MAX_ATTEMPTS))}
    ) as a where a.outcome in ('succeeded', 'failed')
  )
  select (select count(*)::int from newest) as "lookedAt", (select min(created_at) from newest) as "oldestAt",
    count(*) filter (where finished_at > ${dayAgo}::timestamptz)::int as attempts,
    count(*) filter (where finished_at > ${dayAgo}::timestamptz and outcome = 'succeeded')::int as succeeded,
    max(finished_at) filter (where outcome = 'succeeded') as "lastSuccessAt",
    max(finished_at) filter (where outcome = 'failed') as "lastFailureAt",
    (array_agg(error_code order by finished_at desc) filter (where outcome = 'failed'))[1] as "lastErrorCode"
  from made`;

const later = (one: string | null, other: string | null): string | null =>
  [toIsoOrNull(one), toIsoOrNull(other)]
    .filter((at) => at !== null)
    .reduce<string | null>((max, at) => (at > (max ?? '') ? at : max), null);

const toHealth = (id: string, endpoint: EndpointRow, found: Counts & Recent, dayAgo: string): EndpointHealthView => {
  const isSample = found.lookedAt === MAX_DELIVERIES;
  const facts = {
    endpointId: id,
    status: endpoint.status,
    disabledReason: endpoint.disabledReason,
    disabledAt: toIsoOrNull(endpoint.disabledAt),
    failingSince: toIsoOrNull(endpoint.failingSince),
    breaker: { openUntil: toIsoOrNull(endpoint.breakerUntil), failures: endpoint.breakerFailures },
    deliveries: {
      pending: found.pending,
      parked: found.parked,
      exhausted: found.exhausted,
      oldestPendingAt: toIsoOrNull(found.oldestPendingAt),
    },
    lastSuccessAt: later(found.lastSuccessAt, found.newestSuccessAt),
    lastFailureAt: toIsoOrNull(found.lastFailureAt),
    lastErrorCode: found.lastErrorCode,
    recent: {
      from: later(dayAgo, isSample ? found.oldestAt : null) ?? toIso(dayAgo),
      attempts: found.attempts,
      succeeded: found.succeeded,
      successShare: found.attempts === 0 ? null : found.succeeded / found.attempts,
    },
  };
  return { ...facts, nextSteps: nextStepsFor(facts) };
};
