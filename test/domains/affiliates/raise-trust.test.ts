import { lockMembership } from '../../../src/domains/affiliates/index.ts';
import { resetTrust } from '../../../src/domains/affiliates/reset-trust.steps.ts';
import { raiseTrust } from '../../../src/domains/affiliates/use-cases/raise-trust.ts';
import { after, DAY_MS } from '../../../src/platform/clock.ts';
import { inTransaction } from '../../../src/platform/context.ts';
import { execute, firstRow, sql } from '../../../src/platform/database/sql.ts';
import { useOwnApi } from '../../support/api.ts';
import { makePayable } from '../../support/factories.ts';

const api = useOwnApi();
const context = () => api.runtime.context({ kind: 'system', name: 'test' });
const raiseIn = (days: number): Promise<number> =>
  raiseTrust({ ...context(), clock: { now: () => after(new Date(), days * DAY_MS) } });

/** An affiliate with a number of approved conversions. */
const setUp = async (approved: number) => {
  const { affiliateId, conversionId, key } = await makePayable(api);
  await execute(
    context().em,
    sql`with copies as (select gen_random_uuid() as id, gen_random_uuid() as sale_id from generate_series(2, ${approved})),
      sales as (insert into sale (id, merchant_id, program_id, provider, external_id, payload_hash, amount, currency, customer_id,
          affiliate_id, occurred_at, created_at)
        select k.sale_id, s.merchant_id, s.program_id, s.provider, k.sale_id::text, '', s.amount, s.currency, s.customer_id,
          s.affiliate_id, s.occurred_at, s.created_at
        from copies k, conversion c join sale s on s.id = c.sale_id where c.id = ${conversionId}::uuid)
      insert into conversion (id, sale_id, merchant_id, program_id, affiliate_id, amount, commission, commission_percent, currency,
        status, method, screened_at, release_at, approved_at, created_at, updated_at)
      select k.id, k.sale_id, c.merchant_id, c.program_id, c.affiliate_id, c.amount, 0, c.commission_percent, c.currency,
        c.status, c.method, c.screened_at, c.release_at, c.approved_at, c.created_at, c.updated_at
      from copies k, conversion c where c.id = ${conversionId}::uuid`,
  );
  const tier = async () =>
    (
      await firstRow(
        context().em,
        sql<{ tier: string }>`select trust_tier as tier from affiliate where id = ${affiliateId}::uuid`,
      )
    )?.tier;
  const set = (body: object) => api.call('POST', `/affiliates/${affiliateId}/trust`, { key, body });
  return { affiliateId, tier, set };
};

it.each([
  [19, 61, 'new'],
  [20, 59, 'new'],
  [20, 61, 'trusted'],
  [99, 181, 'trusted'],
  [100, 179, 'trusted'],
  [100, 181, 'verified'],
])('%s approved conversions in %s days earn the tier "%s"', async (approved, days, expected) => {
  const { tier } = await setUp(approved);
  await raiseIn(days);
  expect(await tier()).toBe(expected);
});

it('an affiliate whose sale is being recorded is raised later, and holds up no other', async () => {
  const [busy, other] = [await setUp(20), await setUp(20)];
  await inTransaction(context(), async (ctx) => {
    await lockMembership(ctx, busy.affiliateId);
    await raiseIn(61);
  });
  expect([await busy.tier(), await other.tier()]).toEqual(['new', 'trusted']);
  await raiseIn(61);
  expect(await busy.tier()).toBe('trusted');
});

it('a record counts anew after the trust was lowered, and trust that was set is not lowered', async () => {
  const lowered = await setUp(100);
  await lowered.set({ tier: 'trusted' });
  await lowered.set({ tier: 'new' });
  const given = await setUp(1);
  await given.set({ tier: 'verified' });
  await raiseIn(400);
  expect([await lowered.tier(), await given.tier()]).toEqual(['new', 'verified']);
});

it('setting a new affiliate to "new" makes the record count anew, and a tier that stays the same does not', async () => {
  const [distrusted, trusted] = [await setUp(100), await setUp(100)];
  await distrusted.set({ tier: 'new' });
  for (let n = 0; n < 2; n++) await trusted.set({ tier: 'trusted' });
  await raiseIn(400);
  expect([await distrusted.tier(), await trusted.tier()]).toEqual(['new', 'verified']);
});

it.each(['new', 'verified'])('a confirmed flag makes the record of the tier "%s" count anew', async (before) => {
  const { affiliateId, tier, set } = await setUp(100);
  await set({ tier: before });
  await resetTrust(context(), affiliateId);
  await raiseIn(400);
  expect(await tier()).toBe('new');
});

it('a flag that is confirmed while the trust is raised is not overlooked', async () => {
  const { affiliateId, tier } = await setUp(100);
  await inTransaction(context(), async (ctx) => {
    await resetTrust(ctx, affiliateId);
    await raiseIn(400);
  });
  expect(await tier()).toBe('new');
});

it('raises each affiliate once when two processes do it at the same time', async () => {
  // What other tests left.
  await raiseIn(61);
  const { tier } = await setUp(20);
  const counts = await Promise.all([raiseIn(61), raiseIn(61), raiseIn(61)]);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1);
  expect(await tier()).toBe('trusted');
});
