import pMap from 'p-map';
import { openPool } from './support/pg.ts';
import { performRequests } from './support/program.ts';

/** The rows of a conversion written directly: one transaction per sale, one statement per table. */
const { DATABASE_URL = '', CONNECTIONS = '8', EVENT = '' } = process.env;
const connections = Number(CONNECTIONS);
const pool = openPool(DATABASE_URL, connections);

interface SalesRequest {
  merchantId: string;
  programId: string;
  affiliates: readonly string[];
  count: number;
}

interface Sale {
  saleId: string;
  conversionId: string;
  merchantId: string;
  programId: string;
  affiliateId: string;
}

const STATEMENTS: [name: string, text: string, values: (of: Sale) => unknown[]][] = [
  [
    'sale',
    `insert into sale (id, merchant_id, program_id, provider, external_id, payload_hash, amount, currency, customer_id, affiliate_id, method,
        matched_affiliate_id, matched_method, attributed_at, occurred_at, created_at)
      values ($1::uuid, $4, $2, 'anchor', $1::uuid::text, $1::uuid::text, 4900, 'usd', $1::uuid::text, $3, 'metadata', $3, 'metadata', now(), now(), now())`,
    (of) => [of.saleId, of.programId, of.affiliateId, of.merchantId],
  ],
  [
    'conversion',
    `insert into conversion (id, sale_id, merchant_id, program_id, affiliate_id, amount, commission, commission_percent, currency,
        status, method, screened_at, release_at, created_at, updated_at)
      values ($1, $2, $3, $4, $5, 4900, 980, 20, 'usd', 'pending', 'metadata', now(), now() + interval '30 days', now(), now())`,
    (of) => [of.conversionId, of.saleId, of.merchantId, of.programId, of.affiliateId],
  ],
  ['balance', 'update ledger_balance set pending = pending + 980 where affiliate_id = $1', (of) => [of.affiliateId]],
  [
    'entries',
    `insert into ledger_entry (transaction_id, kind, account, owner_id, program_id, merchant_id, currency, amount, reference_id, booked_on, created_at)
      values ($1, 'conversion', 'merchant_expense', $3, $3, $4, 'usd', -980, $1, current_date, now()),
        ($1, 'conversion', 'pending', $2, $3, $4, 'usd', 980, $1, current_date, now())`,
    (of) => [of.conversionId, of.affiliateId, of.programId, of.merchantId],
  ],
  [
    'totals',
    'update affiliate_totals set conversions = conversions + 1, revenue = revenue + 4900, earnings = earnings + 980 where affiliate_id = $1',
    (of) => [of.affiliateId],
  ],
  [
    'event',
    `with subject as (insert into webhook_subject (id, sequence) values ($4, 1))
      insert into webhook_event (id, merchant_id, program_id, type, schema_version, body, occurred_at)
      values (uuidv7(), $1, $2, 'conversion.created', 2, $3, now())`,
    (of) => [of.merchantId, of.programId, Buffer.from(EVENT), of.conversionId],
  ],
];

const insertSale = async (sale: Sale): Promise<void> => {
  const connection = await pool.connect();
  await connection.query('begin');
  for (const [name, text, values] of STATEMENTS) await connection.query({ name, text, values: values(sale) });
  await connection.query('commit');
  connection.release();
};

performRequests<SalesRequest>(async ({ affiliates, count, ...program }) => {
  const sales = Array.from({ length: count }, (_, n) => ({
    ...program,
    saleId: crypto.randomUUID(),
    conversionId: crypto.randomUUID(),
    affiliateId: affiliates[n % affiliates.length] ?? '',
  }));
  await pMap(sales, insertSale, { concurrency: connections });
  return { done: true };
});
