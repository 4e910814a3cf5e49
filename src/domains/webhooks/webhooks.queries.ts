import type { EventType } from '../../contracts/events.ts';
import type { DeliveryStatus } from '../../contracts/webhooks.ts';
import { type Context, merchantOf } from '../../platform/context.ts';
import { allOf, firstRow, rows, sql, toIso, toIsoOrNull } from '../../platform/database/sql.ts';
import { forbidden, notFound } from '../../platform/errors.ts';
import type { Page } from '../../platform/http/operation.ts';
import { listPage, type PageQuery } from '../../platform/http/pages.ts';
import type { AttemptView, DeliveryDetailView, DeliveryView, EndpointView } from './webhooks.wire.ts';

interface EndpointRow {
  id: string;
  merchant_id: string;
  program_id: string | null;
  name: string;
  url: string;
  status: EndpointView['status'];
  subscribed_events: EventType[];
  secret_last_four: string | null;
  created_at: string;
  updated_at: string;
  disabled_at: string | null;
}

const ENDPOINT = sql<EndpointRow>`id, merchant_id, program_id, name, url, status, subscribed_events, secret_last_four,
  created_at, updated_at, disabled_at`;

const toEndpointView = (row: EndpointRow): EndpointView => ({
  id: row.id,
  name: row.name,
  url: row.url,
  status: row.status,
  programId: row.program_id,
  schemaVersion: 2,
  subscribedEvents: row.subscribed_events,
  secretLastFour: row.secret_last_four,
  createdAt: toIso(row.created_at),
  updatedAt: toIso(row.updated_at),
  disabledAt: toIsoOrNull(row.disabled_at),
});

/** All endpoints of the merchant, newest first: there are at most fifty. */
export const listEndpoints = async (ctx: Context, filter: { programId?: string | undefined }): Promise<EndpointView[]> => {
  const where = allOf([
    sql`merchant_id = ${merchantOf(ctx)}::uuid and deleted_at is null`,
    filter.programId === undefined ? undefined : sql`program_id = ${filter.programId}::uuid`,
  ]);
  const found = await rows(
    ctx.em,
    sql<EndpointRow>`select ${ENDPOINT} from webhook_endpoint where ${where} order by created_at desc, id desc`,
  );
  return found.map(toEndpointView);
};

/** Missing or deleted is 404, somebody else's 403. */
export const getEndpoint = async (ctx: Context, id: string): Promise<EndpointView> => {
  const row = await firstRow(
    ctx.em,
    sql<EndpointRow>`select ${ENDPOINT} from webhook_endpoint where id = ${id}::uuid and deleted_at is null`,
  );
  if (!row) throw notFound('Webhook endpoint');
  if (row.merchant_id !== merchantOf(ctx)) throw forbidden();
  return toEndpointView(row);
};

export const countEndpoints = async (ctx: Context, merchantId: string): Promise<number> => {
  const counted = await firstRow(
    ctx.em,
    sql<{ held: number }>`select count(*)::int as held from webhook_endpoint
      where merchant_id = ${merchantId}::uuid and deleted_at is null`,
  );
  return counted?.held ?? 0;
};

export const assertOwnProgram = async (ctx: Context, programId: string): Promise<void> => {
  const program = await firstRow(
    ctx.em,
    sql<{ merchant_id: string }>`select merchant_id from program where id = ${programId}::uuid`,
  );
  if (!program) throw notFound('Program');
  if (program.merchant_id !== merchantOf(ctx)) throw forbidden();
};

interface DeliveryRow {
  id: string;
  endpoint_id: string;
  event_id: string;
  merchant_id: string;
  type: EventType;
  trigger: DeliveryView['trigger'];
  status: DeliveryStatus;
  attempts: number;
  next_attempt_at: string | null;
  created_at: string;
  updated_at: string;
}

const DELIVERY = sql<DeliveryRow>`delivery.id, delivery.endpoint_id, delivery.event_id, delivery.merchant_id, event.type,
  delivery.trigger, delivery.status, delivery.attempts, delivery.next_attempt_at, delivery.created_at, delivery.updated_at`;
const DELIVERIES = sql`webhook_delivery delivery join webhook_event event on event.id = delivery.event_id`;

const toDeliveryView = (row: DeliveryRow): DeliveryView => ({
  id: row.id,
  endpointId: row.endpoint_id,
  eventId: row.event_id,
  eventType: row.type,
  trigger: row.trigger,
  status: row.status,
  attemptCount: row.attempts,
  nextAttemptAt: toIsoOrNull(row.next_attempt_at),
  createdAt: toIso(row.created_at),
  updatedAt: toIso(row.updated_at),
});

/** Deliveries of one endpoint, newest first; the endpoint is checked like any other object. */
export const listDeliveries = async (
  ctx: Context,
  endpointId: string,
  query: PageQuery & { status?: DeliveryStatus | undefined },
): Promise<Page<DeliveryView>> => {
  await getEndpoint(ctx, endpointId);
  return listPage(ctx, query, {
    name: `deliveries:${endpointId}:${query.status ?? ''}`,
    columns: DELIVERY,
    from: DELIVERIES,
    where: [
      sql`delivery.endpoint_id = ${endpointId}::uuid`,
      query.status === undefined ? undefined : sql`delivery.status = ${query.status}`,
    ],
    sort: { key: sql.ref('delivery.created_at'), id: sql.ref('delivery.id'), type: 'timestamptz', ascending: false },
    toItem: toDeliveryView,
  });
};

interface AttemptRow {
  n: number;
  trigger: AttemptView['trigger'];
  url: string;
  started_at: string;
  finished_at: string | null;
  outcome: AttemptView['outcome'];
  http_status: number | null;
  error_code: AttemptView['errorCode'];
  remote_ip: string | null;
  tls: string | null;
  ms_dns: number | null;
  ms_connect: number | null;
  ms_tls: number | null;
  ms_ttfb: number | null;
  ms_total: number | null;
  response_headers: Record<string, string> | null;
  response_excerpt: Buffer | null;
  truncated: boolean;
  secret_ids: string[];
}

const toAttemptView = (row: AttemptRow): AttemptView => ({
  number: row.n,
  trigger: row.trigger,
  url: row.url,
  startedAt: toIso(row.started_at),
  finishedAt: toIsoOrNull(row.finished_at),
  outcome: row.outcome,
  httpStatus: row.http_status,
  errorCode: row.error_code,
  remoteIp: row.remote_ip,
  tls: row.tls,
  timings: {
    dnsMs: row.ms_dns,
    connectMs: row.ms_connect,
    tlsMs: row.ms_tls,
    firstByteMs: row.ms_ttfb,
    totalMs: row.ms_total,
  },
  responseHeaders: row.response_headers,
  responseExcerpt: row.response_excerpt?.toString('utf8') ?? null,
  truncated: row.truncated,
  secretIds: row.secret_ids,
});

/** One delivery with its attempts, first one first. It stays readable when its endpoint has been deleted. */
export const getDelivery = async (ctx: Context, id: string): Promise<DeliveryDetailView> => {
  const row = await firstRow(ctx.em, sql<DeliveryRow>`select ${DELIVERY} from ${DELIVERIES} where delivery.id = ${id}::uuid`);
  if (!row) throw notFound('Webhook delivery');
  if (row.merchant_id !== merchantOf(ctx)) throw forbidden();
  const attempts = await rows(
    ctx.em,
    sql<AttemptRow>`select n, trigger, url, started_at, finished_at, outcome, http_status, error_code,
      host(remote_ip) as remote_ip, tls, ms_dns, ms_connect, ms_tls, ms_ttfb, ms_total, response_headers,
      response_excerpt, truncated, secret_ids
      from webhook_attempt where delivery_id = ${id}::uuid order by n`,
  );
  return { ...toDeliveryView(row), attempts: attempts.map(toAttemptView) };
};

/** What an attempt needs to know: read anew each time, so that changes count from the next attempt on. */
export interface Outgoing {
  body: Buffer;
  url: string;
  /** The endpoint is disabled or deleted. */
  isInactive: boolean;
}

export const findOutgoing = (ctx: Context, delivery: { eventId: string; endpointId: string }): Promise<Outgoing | null> =>
  firstRow(
    ctx.em,
    sql<Outgoing>`select event.body, endpoint.url,
      endpoint.status <> 'active' or endpoint.deleted_at is not null as "isInactive"
      from webhook_event event, webhook_endpoint endpoint
      where event.id = ${delivery.eventId}::uuid and endpoint.id = ${delivery.endpointId}::uuid`,
  );
