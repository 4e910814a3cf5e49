import { createWebhookEndpoint } from '../../src/domains/webhooks/use-cases/webhook-endpoint.ts';
import { until } from '../../test/support/until.ts';
import type { ReceiverRequest } from '../webhook-receiver.program.ts';
import { type Child, startChild } from './child.ts';
import type { PgPool } from './pg.ts';
import { type BenchStack, createBenchMerchant } from './stack.ts';

export interface Receiver {
  child: Child;
  url: string;
  reset(): Promise<void>;
  received(): Promise<number>;
  /** Epoch milliseconds of the first arrival of each event. */
  arrivals(): Promise<Map<string, number>>;
}

export const startWebhookReceiver = async (): Promise<Receiver> => {
  const child = await startChild('webhook-receiver.program.ts', process.env);
  const ask = <Result>(request: ReceiverRequest) => child.run<Result>(request);
  const { port } = await ask<{ port: number }>('port');
  return {
    child,
    url: `http://127.0.0.1:${port}`,
    reset: async () => void (await ask('reset')),
    received: async () => (await ask<{ received: number }>('received')).received,
    arrivals: async () => new Map((await ask<{ arrivals: [string, number][] }>('arrivals')).arrivals),
  };
};

/** Lets the worker of a benchmark send to the receiver. */
export const allowReceiver = ({ url }: Receiver) => ({ WEBHOOK_ALLOWED_PRIVATE_ADDRESSES: url.slice('http://'.length) });

const PER_MERCHANT = 40;

/** Endpoints of as many merchants as it takes, each with a path of its own. The mails that tell merchants of them are not sent. */
export const makeEndpoints = async (
  { runtime, database }: BenchStack,
  receiver: Receiver,
  count: number,
  path = '/ok',
): Promise<string[]> => {
  const ids: string[] = [];
  let merchantId = '';
  for (let n = 0; n < count; n++) {
    if (n % PER_MERCHANT === 0) merchantId = await createBenchMerchant(runtime);
    const actor = { kind: 'key', keyId: merchantId, keyType: 'merchant', ownerId: merchantId, scopes: [] } as const;
    const ctx = runtime.context(actor);
    const outbound = { ...ctx.settings.outbound, allowedPrivate: [{ address: '127.0.0.1', port: null }] };
    const made = await createWebhookEndpoint(
      { ...ctx, settings: { ...ctx.settings, outbound } },
      {
        name: `endpoint ${n}`,
        url: `${receiver.url}${path}/${n}`,
        subscribedEvents: ['conversion.created', 'payout.completed'],
      },
    );
    ids.push(made.endpoint.id);
  }
  await database.query(`with unsent as (delete from mail) delete from outbox where topic = 'mail.send'`);
  return ids;
};

const BODY_BYTES = 900;
const body = (type: string): Buffer =>
  Buffer.from(JSON.stringify({ type, data: { filler: 'x'.repeat(BODY_BYTES - 60 - type.length) } }));

/** Commits events for these endpoints, `each` of them per endpoint, in one transaction. Returns their ids. */
export const emitEvents = async (
  database: PgPool,
  endpoints: readonly string[],
  { each = 1, type = 'conversion.created' }: { each?: number; type?: string } = {},
): Promise<string[]> => {
  const { rows } = await database.query<{ id: string }>({
    name: `emit ${type}`,
    text: `with wanted as materialized (
        select uuidv7() as event_id, e.id as endpoint_id, e.merchant_id, e.slot
        from generate_series(1, $2::int) n, webhook_endpoint e where e.id = any($1::uuid[])
      ), event as (
        insert into webhook_event (id, merchant_id, type, schema_version, body, occurred_at)
        select event_id, merchant_id, $3, 2, $4::bytea, now() from wanted
      )
      insert into webhook_delivery (id, event_id, endpoint_id, merchant_id, slot, priority, status, next_attempt_at, created_at,
        updated_at)
      select uuidv7(), event_id, endpoint_id, merchant_id, slot, $5::int, 'pending', now(), now(), now() from wanted
      returning event_id as id`,
    values: [endpoints, each, type, body(type), type.startsWith('payout.') ? 2 : 3],
  });
  return rows.map(({ id }) => id);
};

/** Waits until no delivery is pending; resolves to the number of those that succeeded. */
export const untilDelivered = async (database: PgPool): Promise<number> => {
  await until('no delivery is pending', async () => {
    const { rows } = await database.query<{ waiting: boolean }>(
      `select exists (select 1 from webhook_delivery where status = 'pending' and in_lane) as waiting`,
    );
    return !rows[0]?.waiting;
  });
  const { rows } = await database.query<{ count: number }>(
    `select count(*)::int as count from webhook_delivery where status = 'succeeded'`,
  );
  return rows[0]?.count ?? 0;
};

/** The value below which this share of all values is. */
export const percentile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
};
