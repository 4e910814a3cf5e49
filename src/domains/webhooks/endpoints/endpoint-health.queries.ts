import { COUNT_MAX } from '../../../contracts/limits.ts';
import type { DeliveryError, DeliveryStatus, DisabledReason } from '../../../contracts/webhooks.ts';
import { after, DAY_MS } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { firstRowOfEach, type Selectable, sql, toIso, toIsoOrNull } from '../../../platform/database/sql.ts';
import { columnsOf } from '../../../platform/database/table.ts';
import { readOwned } from '../../../platform/ownership.ts';
import type { Tables } from '../../tables.ts';
import type { EndpointHealthView } from '../webhooks.wire.ts';

const TLS = 'Renew or correct the certificate of the receiver.';
const CONNECTION = 'Check that the receiver runs and that its firewall lets this server in.';
const SLOW = 'Acknowledge within 20 seconds and do the work afterwards.';
const OURS = 'This server did not finish the attempt, and repeats it by itself.';

const BY_ERROR: Readonly<Record<DeliveryError, string>> = {
  dns_not_found: 'The host name of the URL does not exist: correct the URL or the DNS record.',
  dns_timeout: 'The name server of the host does not answer: check the DNS of the URL.',
  blocked_address: 'The URL leads to an address that is not public: use one that is.',
  connect_refused: CONNECTION,
  connect_timeout: CONNECTION,
  tls_invalid: TLS,
  tls_expired: TLS,
  tls_name: 'The certificate of the receiver is not for the host name of the URL: correct one of them.',
  tls_timeout: CONNECTION,
  reset: CONNECTION,
  timeout_headers: SLOW,
  timeout_body: SLOW,
  http_3xx: 'The receiver redirects, which is not followed: set the URL to the final address.',
  http_4xx: 'The receiver rejects the request: check the path of the URL, and that it verifies with the current secret.',
  http_5xx: 'The receiver reports an error of its own: look at its log.',
  gone: 'The receiver answers 410, which means that it is gone: correct the URL.',
  bad_response: 'The receiver sends a response that is not valid HTTP: check what listens at the URL.',
  internal_error: OURS,
  worker_lost: OURS,
};

const BY_REASON: Readonly<Record<DisabledReason, string>> = {
  merchant: 'The endpoint was disabled by the merchant: nothing is sent to it until it is enabled.',
  gone: 'The endpoint was disabled because the receiver answered 410: correct the URL, then enable it.',
  failing: 'The endpoint was disabled because no attempt succeeded for days: correct the receiver, then enable it.',
};

type Facts = Omit<EndpointHealthView, 'nextSteps'>;

const isFailing = ({ failingSince, breaker, lastFailureAt, lastSuccessAt }: Facts): boolean =>
  failingSince !== null || breaker.openUntil !== null || (lastFailureAt ?? '') > (lastSuccessAt ?? '');

const replayText = (failedFrom: string): string =>
  `Then send what it missed: \`POST /webhooks/{id}/replay\` with a \`since\` two days before ${failedFrom}. Note this time now: enabling the endpoint clears it.`;

/** Sentences for people, most urgent first; never empty. */
const nextStepsFor = (facts: Facts): string[] => {
  const { disabledReason, deliveries, lastErrorCode, status } = facts;
  const steps = [
    status === 'disabled' && BY_REASON[disabledReason ?? 'merchant'],
    lastErrorCode !== null && isFailing(facts) && BY_ERROR[lastErrorCode],
    status === 'disabled' && deliveries.parked > 0 && 'Enabling it sends the parked deliveries.',
    status === 'disabled' && facts.disabledAt !== null && replayText(facts.failingSince ?? facts.disabledAt),
    status === 'active' && facts.failingSince !== null && 'Leave it enabled: deliveries are retried for about three days.',
    deliveries.exhausted > 0 &&
      'Some deliveries used up their attempts: replay them with `POST /webhooks/{id}/replay` and a `since` before the oldest of them, or read `GET /events`.',
  ].filter((step) => step !== false);
  return steps.length > 0 ? steps : ['Nothing to do.'];
};

/** The newest deliveries whose attempts are looked at, each with its newest attempts: more than the schedule has. */
const MAX_DELIVERIES = 1_000;
const MAX_ATTEMPTS = 12;

const ENDPOINT = [
  'merchantId',
  'status',
  'disabledReason',
  'disabledAt',
  'failingSince',
  'breakerUntil',
  'breakerFailures',
] as const;

type EndpointRow = Pick<Selectable<Tables['webhook_endpoint']>, (typeof ENDPOINT)[number]>;

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
  const { counts, recent } = found;
  const endpoint = readOwned(ctx, 'Webhook endpoint', found.endpoint);
  return toHealth(id, endpoint, { ...NOTHING, ...counts, ...recent }, dayAgo);
};

// Templates: three statements are sent as one, which `firstRowOfEach` writes.
const endpointRow = (id: string) => sql<EndpointRow>`
  select ${columnsOf<EndpointRow>(ENDPOINT)} from webhook_endpoint where id = ${id} and deleted_at is null`;

const inStatus = (id: string, status: DeliveryStatus) => sql`webhook_delivery where endpoint_id = ${id} and status = ${status}`;

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
    select id, created_at from webhook_delivery where endpoint_id = ${id}
    order by created_at desc, id desc limit ${sql.raw(String(MAX_DELIVERIES))}
  ), made as (
    select a.* from newest cross join lateral (
      select outcome, error_code, finished_at from webhook_attempt where delivery_id = newest.id
      order by n desc limit ${sql.raw(String(MAX_ATTEMPTS))}
    ) as a where a.outcome in ('succeeded', 'failed')
  )
  select (select count(*)::int from newest) as "lookedAt", (select min(created_at) from newest) as "oldestAt",
    count(*) filter (where finished_at > ${dayAgo})::int as attempts,
    count(*) filter (where finished_at > ${dayAgo} and outcome = 'succeeded')::int as succeeded,
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
