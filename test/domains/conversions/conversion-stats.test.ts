import fc from 'fast-check';
import { CONVERSION_STATUSES, PERIODS, type Period } from '../../../src/contracts/conversions.ts';
import { findMainCurrency } from '../../../src/domains/conversions/conversions.queries.ts';
import type { ConversionStats } from '../../../src/domains/conversions/conversions.wire.ts';
import { getConversionStats } from '../../../src/domains/conversions/lists/stats.queries.ts';
import { addUpConversions } from '../../../src/domains/conversions/use-cases/add-up-conversions.ts';
import { DAY_MS, MINUTE_MS } from '../../../src/platform/clock.ts';
import { execute, rows, sql } from '../../../src/platform/database/sql.ts';
import { useOwnApi } from '../../support/api.ts';
import { makePayable, makeProgram, unique } from '../../support/factories.ts';
import { addCommissions } from '../../support/many-commissions.ts';
import { countRowsRead } from '../../support/plans.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { recordStatementsWithValues, type SentStatement } from '../../support/statements.ts';

const api = useOwnApi({}, { asOwner: true });
const NOW = Date.now();
const context = () => ({ ...api.runtime.context({ kind: 'system', name: 'test' }), clock: { now: () => new Date(NOW) } });

let statementsOf: (work: () => Promise<unknown>) => Promise<SentStatement[]>;
beforeAll(async () => {
  statementsOf = await recordStatementsWithValues(api);
});

interface Filter {
  programId: string | undefined;
  period: Period;
}

const DAYS = { '7d': 7, '30d': 30, '90d': 90, all: 36_500 } as const;

/** Adds up all conversions, one by one. */
const countAll = async (merchantId: string, { programId, period }: Filter): Promise<ConversionStats['byCurrency']> => {
  const from = new Date(NOW - DAYS[period] * DAY_MS).toISOString();
  const main = await findMainCurrency(context(), merchantId, programId);
  return rows(
    context().em,
    sql<ConversionStats['byCurrency'][number]>`select currency, count(*)::int as total,
        count(*) filter (where status = 'pending')::int as pending, count(*) filter (where status = 'approved')::int as approved,
        count(*) filter (where status in ('pending','approved','partially_refunded') and included_in is null
          and (screened_at is null or disputed_at is not null or exists (
            select from flag_conversion k join flag f on f.id = k.flag_id where k.conversion_id = c.id and f.hold_ended_at is null))
        )::int as held,
        coalesce(sum(amount - refunded) filter (where status <> 'rejected'), 0)::float8 as "totalRevenue",
        sum(commission)::float8 as "totalCommissions"
      from conversion c
      where merchant_id = ${merchantId}::uuid and program_id = coalesce(${programId ?? null}::uuid, program_id)
        and created_at >= ${from}::timestamptz
      group by currency order by currency = ${main} desc, max(created_at) desc, currency`,
  );
};

type Seller = Awaited<ReturnType<typeof makePayable>>;

const share = (part: number) => fc.integer({ min: 1, max: 100 }).map((n) => n <= part);

/** Around the beginnings of periods, and anywhere before. */
const age = fc.oneof(
  fc
    .tuple(fc.constantFrom(0, 7, 30, 90), fc.constantFrom(0, 1, -1, MINUTE_MS, 20 * MINUTE_MS, -20 * MINUTE_MS, DAY_MS))
    .map(([days, more]) => Math.max(0, days * DAY_MS + more)),
  fc.integer({ min: 0, max: 120 * DAY_MS }),
);

const anyConversion = fc.record({
  program: fc.nat(3),
  status: fc.constantFrom(...CONVERSION_STATUSES),
  amount: fc.integer({ min: 1, max: 1_000_000 }),
  refundedPercent: fc.nat(100),
  commission: fc.nat(300_000),
  age,
  isApproved: share(50),
  isScreened: share(80),
  isDisputed: share(10),
  isPaid: share(20),
  flags: fc.subarray([0, 1, 2]),
  isFlagged: share(30),
});
type AnyConversion = typeof anyConversion extends fc.Arbitrary<infer Value> ? Value : never;

const insert = async (
  { merchantId, affiliateId }: Seller,
  programs: readonly string[],
  flags: readonly string[],
  made: AnyConversion,
) => {
  const [saleId, id] = [api.runtime.ids.next(), api.runtime.ids.next()];
  const [programId, at] = [programs[made.program], new Date(NOW - made.age).toISOString()];
  const when = (holds: boolean) => (holds ? at : null);
  await execute(
    context().em,
    sql`with program as (select currency from program where id = ${programId}::uuid),
      sold as (insert into sale (id, merchant_id, program_id, provider, external_id, payload_hash, amount, currency, customer_id,
          affiliate_id, method, occurred_at, created_at)
        select ${saleId}::uuid, ${merchantId}::uuid, ${programId}::uuid, 'events', ${unique()}, '', ${made.amount}::bigint, currency, 'c1',
          ${affiliateId}::uuid, 'metadata', ${at}::timestamptz, ${at}::timestamptz from program)
      insert into conversion (id, sale_id, merchant_id, program_id, affiliate_id, amount, refunded, commission, commission_percent,
        currency, status, method, screened_at, release_at, approved_at, disputed_at, included_in, created_at, updated_at)
      select ${id}::uuid, ${saleId}::uuid, ${merchantId}::uuid, ${programId}::uuid, ${affiliateId}::uuid, ${made.amount}::bigint,
        ${Math.floor((made.amount * made.refundedPercent) / 100)}::bigint, ${made.commission}::bigint, 20, currency, ${made.status}, 'metadata',
        ${when(made.isScreened)}::timestamptz, ${at}::timestamptz, ${when(made.isApproved)}::timestamptz,
        ${when(made.isDisputed)}::timestamptz, ${made.isPaid ? id : null}::uuid, ${at}::timestamptz, ${at}::timestamptz from program`,
  );
  for (const flag of made.isFlagged ? made.flags : [])
    await execute(context().em, sql`insert into flag_conversion values (${flags[flag]}::uuid, ${id}::uuid)`);
};

/** One that is open, one whose commissions are being rejected, and one that holds nothing any more. */
const makeFlags = async ({ merchantId, programId, affiliateId }: Seller): Promise<string[]> => {
  const states = [
    ['open', null, null],
    ['confirmed', 'now', null],
    ['dismissed', 'now', 'now'],
  ] as const;
  const ids = states.map(() => api.runtime.ids.next());
  for (const [n, [status, resolved, ended]] of states.entries())
    await execute(
      context().em,
      sql`insert into flag (id, merchant_id, program_id, affiliate_id, type, status, created_at, newest_evidence_at, due_at,
          resolved_at, hold_ended_at, updated_at)
        values (${ids[n]}::uuid, ${merchantId}::uuid, ${programId}::uuid, ${affiliateId}::uuid, 'manual_review', ${status}, now(), now(),
          now(), ${resolved}::timestamptz, ${ended}::timestamptz, now())`,
    );
  return ids;
};

test.each([1, 2])(
  'the sums are those of all conversions counted one by one, for any data, program and period: seed %i',
  async (seed) => {
    const seller = await makePayable(api);
    const { merchantId, key } = seller;
    const others = await Promise.all(['usd', 'eur', 'gbp'].map((currency) => makeProgram(api, key, { currency })));
    const programs = [seller.programId, ...others.map(({ programId }) => programId)];
    const flags = await makeFlags(seller);
    for (const round of [0, 1, 2]) {
      for (const made of fc.sample(anyConversion, { numRuns: 25, seed: seed * 10 + round }))
        await insert(seller, programs, flags, made);
      if (round === 1) await addUpConversions(context());
      // Refunds and decisions of sales that are added up.
      await rowsOf(
        api,
        `update conversion set refunded = amount, commission = commission / 2, status = 'refunded' where merchant_id = ? and amount % 5 = ?`,
        [merchantId, round],
      );
      for (const programId of [undefined, ...programs])
        for (const period of PERIODS) {
          const { byCurrency } = await getConversionStats(context(), merchantId, { programId, period });
          const expected = await countAll(merchantId, { programId, period });
          expect({ programId, period, byCurrency }).toEqual({ programId, period, byCurrency: expected });
        }
    }
  },
);

test('statistics of many conversions read what is held, and not the others', async () => {
  const seller = await makePayable(api);
  await addCommissions(api, seller, 5_000);
  await rowsOf(
    api,
    `update conversion set disputed_at = now() where id in (select id from conversion where merchant_id = ? limit 20)`,
    [seller.merchantId],
  );
  for (const table of ['conversion', 'flag', 'flag_conversion']) await rowsOf(api, `vacuum analyze ${table}`);
  const sent = await statementsOf(async () => {
    const { data } = await api.call('GET', '/conversions/stats', { key: seller.key, query: { period: '30d' } });
    expect(data.held).toBe(20);
  });
  const statements = sent.filter(({ text }) => text.includes('conversion_sum'));
  expect(statements).toHaveLength(1);
  for (const statement of statements) expect(await countRowsRead(api, statement)).toBeLessThan(500);
});
