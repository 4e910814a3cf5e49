import { approveCommissions } from '../../../src/domains/conversions/use-cases/approve-commissions.ts';
import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { DAY_MS } from '../../../src/platform/clock.ts';
import { rows, sql } from '../../../src/platform/database/sql.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeAffiliate, makeMerchant, makeProgram, sendRefund, sendSale, unique } from '../../support/factories.ts';

const api = useOwnApi();

const inDays = (days: number) => ({
  ...api.runtime.context({ kind: 'system', name: 'release' }),
  clock: { now: () => new Date(Date.now() + days * DAY_MS) },
});

const setUp = async () => {
  const { key } = await makeMerchant(api.runtime);
  const program = await makeProgram(api, key, { commissionHoldDays: 30 });
  const { code, affiliateId } = await makeAffiliate(api.runtime, program.programId);
  const statuses = async () => (await api.call('GET', '/conversions', { key })).data.map((row: { status: string }) => row.status);
  return { key, program, code, affiliateId, statuses };
};

it('approves each commission once, when its hold period is over', async () => {
  const { program, code, statuses } = await setUp();
  for (let n = 0; n < 3; n++) await sendSale(api, program, { referralCode: code });
  expect(await approveCommissions(inDays(29), { limit: 10 })).toEqual({ released: 0, more: false, failed: [] });
  const two = await Promise.all([approveCommissions(inDays(31), { limit: 10 }), approveCommissions(inDays(31), { limit: 10 })]);
  expect(two.reduce((sum, run) => sum + run.released, 0)).toBe(3);
  expect(await statuses()).toEqual(['approved', 'approved', 'approved']);
  expect(await verifyLedger(inDays(0))).toEqual([]);
});

it('reports whether the batch was full', async () => {
  const { program, code } = await setUp();
  for (let n = 0; n < 3; n++) await sendSale(api, program, { referralCode: code });
  expect(await approveCommissions(inDays(31), { limit: 2 })).toEqual({ released: 2, more: true, failed: [] });
  expect(await approveCommissions(inDays(31), { limit: 2 })).toEqual({ released: 1, more: false, failed: [] });
});

it('skips a fully refunded commission and approves the rest of a partially refunded one', async () => {
  const { program, code, statuses } = await setUp();
  const [full, half] = [`sale-${unique()}`, `sale-${unique()}`];
  await sendSale(api, program, { saleId: full, referralCode: code });
  await sendSale(api, program, { saleId: half, referralCode: code });
  await sendRefund(api, program, { saleId: full, amount: 10_000 });
  await sendRefund(api, program, { saleId: half, amount: 5_000 });
  expect((await approveCommissions(inDays(31), { limit: 10 })).released).toBe(1);
  expect(await statuses()).toEqual(['partially_refunded', 'refunded']);
  expect(await verifyLedger(inDays(0))).toEqual([]);
});

describe('B2: pending money of a blocked affiliate', () => {
  it('stays pending past its hold, and is approved when the affiliate is unblocked', async () => {
    const { key, program, code, affiliateId, statuses } = await setUp();
    for (let n = 0; n < 3; n++) await sendSale(api, program, { referralCode: code });
    await api.call('POST', `/affiliates/${affiliateId}/block`, { key });
    expect(await approveCommissions(inDays(31), { limit: 10 })).toEqual({ released: 0, more: false, failed: [] });
    expect(await statuses()).toEqual(['pending', 'pending', 'pending']);
    await rows(
      inDays(0).em,
      sql`update conversion set release_at = now() - interval '1 minute' where affiliate_id = ${affiliateId}::uuid
        and id in (select id from conversion where affiliate_id = ${affiliateId}::uuid limit 2)`,
    );
    await api.call('POST', `/affiliates/${affiliateId}/unblock`, { key });
    expect((await statuses()).sort()).toEqual(['approved', 'approved', 'pending']);
    expect((await approveCommissions(inDays(31), { limit: 10 })).released).toBe(1);
    expect(await verifyLedger(inDays(0))).toEqual([]);
  });

  it('blocked affiliates do not keep others from their release', async () => {
    const blocked = await setUp();
    for (let n = 0; n < 3; n++) await sendSale(api, blocked.program, { referralCode: blocked.code });
    await api.call('POST', `/affiliates/${blocked.affiliateId}/block`, { key: blocked.key });
    const other = await setUp();
    await sendSale(api, other.program, { referralCode: other.code });
    expect(await approveCommissions(inDays(31), { limit: 2 })).toMatchObject({ released: 1 });
    expect(await other.statuses()).toEqual(['approved']);
  });
});

test('W7: a membership with a bad balance is reported and stops no other', async () => {
  const bad = await setUp();
  for (let n = 0; n < 3; n++) await sendSale(api, bad.program, { referralCode: bad.code });
  const good = await setUp();
  await sendSale(api, good.program, { referralCode: good.code });
  await rows(inDays(0).em, sql`update ledger_balance set pending = 10 where affiliate_id = ${bad.affiliateId}::uuid`);
  const logged: object[] = [];
  const ctx = inDays(31);
  const log = Object.assign(Object.create(ctx.log), { error: (fields: object) => logged.push(fields) });
  // The batch is full of the bad membership's commissions, which are the oldest.
  expect(await approveCommissions({ ...ctx, log }, { limit: 2 })).toEqual({
    released: 1,
    more: false,
    failed: [bad.affiliateId],
  });
  expect(await good.statuses()).toEqual(['approved']);
  expect(await bad.statuses()).toEqual(['pending', 'pending', 'pending']);
  expect(logged).toMatchObject([{ affiliateId: bad.affiliateId, err: expect.any(Error) }]);
  await rows(inDays(0).em, sql`update ledger_balance set pending = 6000 where affiliate_id = ${bad.affiliateId}::uuid`);
  expect((await approveCommissions(inDays(31), { limit: 10 })).released).toBe(3);
});

it('what was held back by a process whose clock is ahead is approved once it is due', async () => {
  const { key, program, code, affiliateId, statuses } = await setUp();
  await sendSale(api, program, { referralCode: code });
  await api.call('POST', `/affiliates/${affiliateId}/block`, { key });
  await approveCommissions(inDays(31), { limit: 10 });
  await api.call('POST', `/affiliates/${affiliateId}/unblock`, { key });
  expect(await approveCommissions(inDays(29), { limit: 10 })).toEqual({ released: 0, more: false, failed: [] });
  expect(await approveCommissions(inDays(31), { limit: 10 })).toEqual({ released: 1, more: false, failed: [] });
  expect(await statuses()).toEqual(['approved']);
});
