import Fastify from 'fastify';
import type { ConversionView } from '../src/domains/conversions/conversions.wire.ts';
import { openPool } from './support/pg.ts';

/** The list without Tributary: the same statement, the same bytes, and nothing else. */
const { DATABASE_URL = '', MERCHANT_ID = '', PORT } = process.env;
const pool = openPool(DATABASE_URL, 20);

/** Columns that have the names of their fields. */
type SameName = 'id' | 'amount' | 'commission' | 'currency' | 'status' | 'method' | 'metadata' | 'hold';

interface Row extends Pick<ConversionView, SameName> {
  affiliate_id: string;
  program_id: string;
  refunded: number;
  stripe_session_id: string | null;
  external_id: string;
  customer_id: string;
  subscription_id: string | null;
  disputed_at: Date | null;
  created_at: Date;
  page_key: string;
  page_id: string;
  page_total: number;
}

const hold = (kind: string, since: string, reason: string, flagId = 'null::uuid') =>
  `jsonb_build_object('kind', '${kind}', 'flagId', ${flagId}, 'reason', ${reason},
    'since', to_char(${since} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`;

const LIST = `select id, affiliate_id, program_id, amount::float8 as amount, refunded::float8 as refunded,
    commission::float8 as commission, currency, status, method, stripe_session_id, disputed_at, created_at,
    external_id, customer_id, subscription_id, metadata, case
      when not (status in ('pending','approved','partially_refunded') and included_in is null) then null
      when disputed_at is not null then ${hold('dispute', 'disputed_at', "'payment_disputed'")}
      else coalesce(
        (select ${hold('flag', 'greatest(f.created_at, conversion.created_at)', 'f.type', 'f.id')}
          from flag_conversion k join flag f on f.id = k.flag_id
          where k.conversion_id = conversion.id and f.hold_ended_at is null order by f.id limit 1),
        (select ${hold('block', 'greatest(b.blocked_at, conversion.created_at)', "'affiliate_blocked'")}
          from affiliate b where b.id = conversion.affiliate_id and b.status = 'blocked'),
        case when screened_at is null then ${hold('screening', 'conversion.created_at', "'not_screened'")} end) end as hold,
    created_at::text as page_key, id::text as page_id,
    (select coalesce(sum(amount), 0)::int as total from row_counter where relation = 'conversion' and merchant_id = $1::uuid
      and program_id = '00000000-0000-0000-0000-000000000000') as page_total
  from (select c.*, s.external_id, s.customer_id, s.subscription_id, s.metadata from conversion c join sale s on s.id = c.sale_id)
    as conversion
  where merchant_id = $1::uuid order by created_at desc, id desc limit 21 offset 0`;

/** Typed as the product's response, so that a field that one of them lacks does not compile. */
const toItem = (row: Row): ConversionView => ({
  id: row.id,
  affiliateId: row.affiliate_id,
  programId: row.program_id,
  amount: row.amount,
  refundedAmount: row.refunded,
  commission: row.commission,
  currency: row.currency,
  status: row.status,
  method: row.method,
  stripeSessionId: row.stripe_session_id,
  externalSaleId: row.external_id,
  customerId: row.customer_id,
  subscriptionId: row.subscription_id,
  metadata: row.metadata,
  disputedAt: row.disputed_at?.toISOString() ?? null,
  createdAt: row.created_at.toISOString(),
  hold: row.hold,
});

const app = Fastify({ logger: false });
app.get('/ready', async () => 'ready');
app.get('/api/v1/conversions', async () => {
  const { rows } = await pool.query<Row>({ name: 'list', text: LIST, values: [MERCHANT_ID] });
  const shown = rows.slice(0, 20);
  const last = shown.at(-1);
  return {
    data: shown.map(toItem),
    meta: {
      total: rows[0]?.page_total ?? 0,
      page: 1,
      pageSize: 20,
      hasMore: rows.length > 20,
      // As long as a signed cursor.
      nextCursor: Buffer.from(JSON.stringify([last?.page_key, last?.page_id]))
        .toString('base64url')
        .padEnd(125, '.'),
      requestId: 'req_00000000-0000-7000-8000-000000000000',
    },
  };
});
await app.listen({ host: '127.0.0.1', port: Number(PORT) });
