import { MAX_OPEN_RESENDS, MAX_SHOWN_ATTEMPTS } from '../../contracts/limits.ts';
import type { DeliveryInput, DeliveryStatus } from '../../contracts/webhooks.ts';
import { type Context, merchantOf } from '../../platform/context.ts';
import { firstRow, rows, sql } from '../../platform/database/sql.ts';
import { forbidden, notFound } from '../../platform/errors.ts';
import type { Page } from '../../platform/http/operation.ts';
import { listPage, type PageQuery } from '../../platform/http/pages.ts';
import { getWebhookEndpoint } from './webhook-endpoints.queries.ts';
import {
  type AttemptRow,
  type DeliveryDetailView,
  type DeliveryRow,
  type DeliveryView,
  toAttempt,
  toDelivery,
} from './webhooks.wire.ts';

const deliveryColumns = sql<DeliveryRow>`
  delivery.id, delivery.endpoint_id as "endpointId", delivery.event_id as "eventId", event.type as "eventType",
  delivery.trigger, delivery.status, delivery.attempts as "attemptCount", delivery.next_attempt_at as "nextAttemptAt",
  delivery.created_at as "createdAt", delivery.updated_at as "updatedAt"`;
const deliveries = sql`webhook_delivery delivery join webhook_event event on event.id = delivery.event_id`;

const attemptColumns = sql<AttemptRow>`
  n as number, trigger, url, started_at as "startedAt", finished_at as "finishedAt", outcome, http_status as "httpStatus",
  error_code as "errorCode", host(remote_ip) as "remoteIp", tls, ms_dns as "dnsMs", ms_connect as "connectMs",
  ms_tls as "tlsMs", ms_ttfb as "firstByteMs", ms_total as "totalMs", response_headers as "responseHeaders",
  response_excerpt as "responseExcerpt", truncated, secret_ids as "secretIds"`;

/** Deliveries of one endpoint, newest first. Throws like `getWebhookEndpoint`. */
export const listWebhookDeliveries = async (
  ctx: Context,
  { endpointId, status, ...page }: PageQuery & { endpointId: string; status?: DeliveryStatus | undefined },
): Promise<Page<DeliveryView>> => {
  await getWebhookEndpoint(ctx, endpointId);
  return listPage(ctx, page, {
    name: `deliveries:${endpointId}:${status ?? ''}`,
    columns: deliveryColumns,
    from: deliveries,
    countFrom: sql`webhook_delivery delivery`,
    where: [sql`delivery.endpoint_id = ${endpointId}::uuid`, status === undefined ? undefined : sql`delivery.status = ${status}`],
    sort: { key: sql.ref('delivery.created_at'), id: sql.ref('delivery.id'), type: 'timestamptz', ascending: false },
    toItem: toDelivery,
  });
};

/** One delivery with its newest attempts, oldest first. It stays readable after its endpoint is deleted. */
export const getWebhookDelivery = async (ctx: Context, id: string): Promise<DeliveryDetailView> => {
  const row = await firstRow(
    ctx.em,
    sql<DeliveryRow & { merchantId: string }>`
      select ${deliveryColumns}, delivery.merchant_id as "merchantId" from ${deliveries} where delivery.id = ${id}::uuid`,
  );
  if (!row) throw notFound('Webhook delivery');
  if (row.merchantId !== merchantOf(ctx)) throw forbidden();
  const attempts = await rows(
    ctx.em,
    sql<AttemptRow>`select * from (select ${attemptColumns} from webhook_attempt where delivery_id = ${id}::uuid
      order by n desc limit ${MAX_SHOWN_ATTEMPTS}) newest order by number`,
  );
  return { ...toDelivery(row), attempts: attempts.map(toAttempt) };
};

/** What an attempt sends and where to. Read before each attempt, so that changes apply from the next attempt on. */
export interface Outgoing {
  body: Buffer;
  url: string;
  headerCiphertext: string | null;
  /** The endpoint is disabled or deleted. */
  isInactive: boolean;
}

export const findOutgoing = (ctx: Context, delivery: { eventId: string; endpointId: string }): Promise<Outgoing | null> =>
  firstRow(
    ctx.em,
    sql<Outgoing>`select event.body, endpoint.url, endpoint.header_ciphertext as "headerCiphertext",
      endpoint.status <> 'active' or endpoint.deleted_at is not null as "isInactive"
      from webhook_event event, webhook_endpoint endpoint
      where event.id = ${delivery.eventId}::uuid and endpoint.id = ${delivery.endpointId}::uuid`,
  );

/** How the attempt of a resend ended; null if none has an outcome. */
export const findResendOutcome = async (ctx: Context, run: DeliveryInput): Promise<'succeeded' | 'failed' | null> => {
  const known = await firstRow(
    ctx.em,
    sql<{ outcome: 'succeeded' | 'failed' }>`select outcome from webhook_attempt where delivery_id = ${run.deliveryId}::uuid
      and suffix = ${run.suffix} and outcome in ('succeeded', 'failed') order by n desc limit 1`,
  );
  return known?.outcome ?? null;
};

/** Counts no further than the limit of them. */
export const countOpenResends = async (ctx: Context, endpointId: string): Promise<number> => {
  const found = await firstRow(
    ctx.em,
    sql<{ count: number }>`select count(*)::int as count from (select from webhook_delivery
      where endpoint_id = ${endpointId}::uuid and resend_requested_at is not null limit ${MAX_OPEN_RESENDS}) open`,
  );
  return found?.count ?? 0;
};
