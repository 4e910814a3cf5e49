import {
  getCustomerHistory,
  lockSupersededSales,
  type SaleFacts,
} from '../../../src/domains/conversions/attribute/attribution.queries.ts';
import type { NewSale } from '../../../src/domains/conversions/record/sale-input.steps.ts';
import { countedTotal } from '../../../src/domains/merchants/index.ts';
import type { Context } from '../../../src/platform/context.ts';
import { execute, firstRow, rows, sql } from '../../../src/platform/database/sql.ts';
import { useOwnApi } from '../../support/api.ts';
import { makePayable, sendRefund, sendSale, unique } from '../../support/factories.ts';

const api = useOwnApi();
const context = () => api.runtime.context({ kind: 'system', name: 'test' });

const SALES = 20_000;
const BATCH = 500;
const ONE_TIME = { commissionType: 'one_time', commissionLimitMonths: null } as const;

/** Sales of one customer, such as a shop's "guest": all match an affiliate, and none but the first is credited. */
const addSales = async (programId: string, affiliateId: string, customerId: string): Promise<void> => {
  // Each row updates a counter, whose versions of one transaction are read one by one.
  for (let first = 1; first <= SALES; first += BATCH) await addBatch(programId, affiliateId, customerId, first);
};

const addBatch = (programId: string, affiliateId: string, customerId: string, first: number): Promise<number> =>
  execute(
    context().em,
    sql`insert into sale (id, merchant_id, program_id, provider, external_id, payload_hash, amount, currency, customer_id, subscription_id,
        affiliate_id, method, matched_affiliate_id, matched_method, attributed_at, reason, occurred_at, created_at)
      select uuidv7(), ${programId}::uuid, ${programId}::uuid, 'events', ${customerId} || n, '', 100, 'usd', ${customerId}, 'sub-' || n % 10,
        case n when 1 then ${affiliateId}::uuid end, case n when 1 then 'metadata' end, ${affiliateId}::uuid, 'metadata',
        now() - n * interval '1 minute', case n when 1 then null else 'NOT_FIRST_PAYMENT' end, now() - n * interval '1 minute', now()
      from generate_series(${first}::int, ${first + BATCH - 1}::int) as n`,
  );

const saleOf = (programId: string, customerId: string, minutesAgo: number): NewSale & SaleFacts => ({
  programId,
  provider: 'events',
  externalId: unique(),
  payloadHash: '',
  amount: 100,
  chargedGross: null,
  currency: 'usd',
  customerId,
  customerIds: [customerId],
  customerEmailDigest: null,
  customerCanonicalDigest: null,
  customerEmailDomain: null,
  subscriptionId: 'sub-3',
  stripeSessionId: null,
  metadata: null,
  occurredAt: new Date(Date.now() - minutesAgo * 60_000),
});

/** Rows of the table that `work` reads, by index or not. */
const rowsRead = (table: string, work: (ctx: Context) => Promise<unknown>): Promise<number> => {
  const { em } = context();
  return em.transactional(async (inner) => {
    const manager = inner as typeof em;
    // Without statistics of its own, a new table may be scanned.
    await manager.execute('set local enable_seqscan = off');
    const countRead = async (): Promise<number> => {
      const read = await firstRow(
        manager,
        sql<{ count: number }>`select (seq_tup_read + idx_tup_fetch)::int as count
          from pg_stat_xact_user_tables where relname = ${table}`,
      );
      return read?.count ?? 0;
    };
    // Earlier transactions of the connection may still be among them.
    const before = await countRead();
    await work({ ...context(), em: manager });
    return (await countRead()) - before;
  });
};

test('G4: the history of a customer with 20,000 sales reads a few rows', async () => {
  const { programId, affiliateId } = await makePayable(api);
  const customerId = `guest-${unique()}`;
  await addSales(programId, affiliateId, customerId);
  const sale = saleOf(programId, customerId, 0);
  expect(await getCustomerHistory(context(), sale)).toMatchObject({
    hasEarlierSale: true,
    lastMatch: { affiliateId, method: 'metadata' },
  });
  expect(await rowsRead('sale', (ctx) => getCustomerHistory(ctx, sale))).toBeLessThanOrEqual(40);
  expect(
    await rowsRead('sale', (ctx) => lockSupersededSales(ctx, ONE_TIME, saleOf(programId, customerId, SALES))),
  ).toBeLessThanOrEqual(40);
});

test('G2: a sale and a refund change the totals of the affiliate, and do not write its row', async () => {
  const { program, affiliateId, code, key } = await makePayable(api);
  const versionOf = async (): Promise<string | undefined> =>
    (
      await firstRow(
        context().em,
        sql<{ xmin: string }>`select xmin::text || ctid::text as xmin from affiliate where id = ${affiliateId}::uuid`,
      )
    )?.xmin;
  const before = await versionOf();
  const saleId = `sale-${unique()}`;
  await sendSale(api, program, { saleId, amount: 10_000, referralCode: code });
  await sendRefund(api, program, { saleId, amount: 4_000 });
  const { data } = await api.call('GET', `/affiliates/${affiliateId}`, { key });
  expect(data).toMatchObject({ totalConversions: 2, totalRevenue: 16_000, totalEarnings: 3_200 });
  // The row is locked, so that a block waits, but no new version of it is written.
  expect((await versionOf())?.replace(/^\d+/, '')).toBe(before?.replace(/^\d+/, ''));
});

test('the total of a list with many programs is read from the counters of the merchant', async () => {
  const { merchantId, key } = await makePayable(api);
  await execute(
    context().em,
    sql`insert into row_counter (relation, merchant_id, program_id, status, shard, amount)
      select 'conversion', ${merchantId}::uuid, uuidv7(), 'approved', 0, 1 from generate_series(1, 1000)`,
  );
  const read = await rowsRead('row_counter', (ctx) => rows(ctx.em, countedTotal('conversion', merchantId, {})));
  expect(read).toBeLessThanOrEqual(40);
  expect((await api.call('GET', '/conversions', { key })).meta.total).toBe(1);
});
