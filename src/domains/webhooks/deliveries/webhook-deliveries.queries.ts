import { MAX_OPEN_RESENDS, MAX_SHOWN_ATTEMPTS } from '../../../contracts/limits.ts';
import type { DeliveryAttempt, DeliveryInput, DeliveryStatus } from '../../../contracts/webhooks.ts';
import type { Context } from '../../../platform/context.ts';
import { compileOnce, type Given } from '../../../platform/database/compiled.ts';
import { firstRow, isoOf, rows, sql } from '../../../platform/database/sql.ts';
import { list } from '../../../platform/http/lists.ts';
import type { Page } from '../../../platform/http/operation.ts';
import type { PageQuery } from '../../../platform/http/pages.ts';
import { readOwned } from '../../../platform/ownership.ts';
import { db } from '../../tables.ts';
import { getWebhookEndpoint } from '../endpoints/webhook-endpoints.queries.ts';
import { type DeliveryDetailView, type DeliveryView, toAttempt, toDelivery } from '../webhooks.wire.ts';

/** More than a schedule has. */
const MAX_LOGGED_ATTEMPTS = 20;

const DELIVERY = [
  ...(['d.id', 'd.endpointId', 'd.eventId', 'e.type as eventType', 'd.trigger', 'd.status'] as const),
  ...(['d.attempts as attemptCount', 'd.nextAttemptAt', 'd.createdAt', 'd.updatedAt'] as const),
] as const;

const ATTEMPT = [
  ...(['n as number', 'trigger', 'url', 'startedAt', 'finishedAt', 'outcome', 'httpStatus', 'errorCode', 'tls'] as const),
  ...(['msDns as dnsMs', 'msConnect as connectMs', 'msTls as tlsMs', 'msTtfb as firstByteMs', 'msTotal as totalMs'] as const),
  ...(['responseHeaders', 'responseExcerpt', 'truncated', 'secretIds'] as const),
] as const;

const deliveries = db.selectFrom('webhook_delivery as d').innerJoin('webhook_event as e', 'e.id', 'd.eventId').select(DELIVERY);

interface OfEndpoint {
  endpointId: string;
  status: DeliveryStatus | undefined;
}

const deliveriesOf = list({
  name: ({ endpointId, status }: OfEndpoint) => `deliveries:${endpointId}:${status ?? ''}`,
  query: ({ endpointId, status }: Given<OfEndpoint>) => {
    const query = deliveries.where('d.endpointId', '=', endpointId);
    return status === undefined ? query : query.where('d.status', '=', status);
  },
  counted: ({ endpointId, status }) => {
    const query = db.selectFrom('webhook_delivery').select('id').where('endpointId', '=', endpointId);
    return status === undefined ? query : query.where('status', '=', status);
  },
  sort: { key: sql.ref('d.createdAt'), id: sql.ref('d.id'), type: 'timestamptz', ascending: false },
  toItem: toDelivery,
});

/** Deliveries of one endpoint, newest first. Throws like `getWebhookEndpoint`. */
export const listWebhookDeliveries = async (
  ctx: Context,
  { endpointId, status, ...page }: PageQuery & { endpointId: string; status?: DeliveryStatus | undefined },
): Promise<Page<DeliveryView>> => {
  await getWebhookEndpoint(ctx, endpointId);
  return deliveriesOf(ctx, page, { endpointId, status });
};

/** One delivery with its newest attempts, oldest first. It stays readable after its endpoint is deleted. */
export const getWebhookDelivery = async (ctx: Context, id: string): Promise<DeliveryDetailView> => {
  const found = await firstRow(ctx.em, deliveries.select('d.merchantId').where('d.id', '=', id));
  const delivery = toDelivery(readOwned(ctx, 'Webhook delivery', found));
  const newest = await rows(
    ctx.em,
    db
      .selectFrom('webhook_attempt')
      .select(ATTEMPT)
      .select(sql<string | null>`host(remote_ip)`.as('remoteIp'))
      .where('deliveryId', '=', id)
      .orderBy('n', 'desc')
      .limit(MAX_SHOWN_ATTEMPTS),
  );
  return { ...delivery, attempts: newest.toReversed().map(toAttempt) };
};

/** The newest attempts of a delivery, oldest first, for its workflow. */
export const listDeliveryLog = async (ctx: Context, deliveryId: string): Promise<DeliveryAttempt[]> => {
  const newest = await rows(
    ctx.em,
    db
      .selectFrom('webhook_attempt')
      .select(['httpStatus', 'errorCode as error', 'msTotal as ms'])
      .select(({ ref }) => isoOf(ref('startedAt')).as('at'))
      .where('deliveryId', '=', deliveryId)
      .orderBy('n', 'desc')
      .limit(MAX_LOGGED_ATTEMPTS),
  );
  return newest.toReversed();
};

/** What an attempt sends and where to. Read before each attempt, so that changes apply from the next attempt on. */
export interface Outgoing {
  body: Buffer;
  url: string;
  headerCiphertext: string | null;
  /** The endpoint is disabled or deleted. */
  isInactive: boolean;
}

const outgoingOf = compileOnce(({ eventId, endpointId }: Given<{ eventId: string; endpointId: string }>) =>
  db
    .selectFrom(['webhook_event as v', 'webhook_endpoint as e'])
    .select(['v.body', 'e.url', 'e.headerCiphertext'])
    .select(sql<boolean>`e.status <> 'active' or e.deleted_at is not null`.as('isInactive'))
    .where('v.id', '=', eventId)
    .where('e.id', '=', endpointId),
);

export const findOutgoing = (ctx: Context, delivery: { eventId: string; endpointId: string }): Promise<Outgoing | null> =>
  firstRow(ctx.em, outgoingOf({ eventId: delivery.eventId, endpointId: delivery.endpointId }));

/** How the attempt of a resend ended; null if none has an outcome. */
export const findResendOutcome = async (ctx: Context, run: DeliveryInput): Promise<'succeeded' | 'failed' | null> => {
  const known = await firstRow(
    ctx.em,
    db
      .selectFrom('webhook_attempt')
      .select('outcome')
      .where('deliveryId', '=', run.deliveryId)
      .where('suffix', '=', run.suffix)
      .where('outcome', 'in', ['succeeded', 'failed'])
      .orderBy('n', 'desc')
      .limit(1)
      .$narrowType<{ outcome: 'succeeded' | 'failed' }>(),
  );
  return known?.outcome ?? null;
};

/** Counts no further than the limit of them. */
export const countOpenResends = async (ctx: Context, endpointId: string): Promise<number> => {
  const open = db
    .selectFrom('webhook_delivery')
    .select('id')
    .where('endpointId', '=', endpointId)
    .where('resendRequestedAt', 'is not', null)
    .limit(MAX_OPEN_RESENDS);
  const found = await firstRow(
    ctx.em,
    db.selectFrom(open.as('open')).select(({ fn }) => fn.countAll<number>().as('count')),
  );
  return found?.count ?? 0;
};
