import { releaseCommissions } from '../../../src/domains/conversions/index.ts';
import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { DAY_MS } from '../../../src/platform/clock.ts';
import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeMerchant, makeProgram, sendRefund, sendSale, unique } from '../../support/factories.ts';

const api = useTestApi();

const inDays = (days: number) => ({
  ...api.runtime.context({ kind: 'system', name: 'release' }),
  clock: { now: () => new Date(Date.now() + days * DAY_MS) },
});

const setUp = async () => {
  const { key } = await makeMerchant(api.runtime);
  const program = await makeProgram(api, key, { commissionHoldDays: 30 });
  const { code } = await makeAffiliate(api.runtime, program.programId);
  const statuses = async () => (await api.call('GET', '/conversions', { key })).data.map((row: { status: string }) => row.status);
  return { key, program, code, statuses };
};

it('approves each commission once, when its hold period is over', async () => {
  const { program, code, statuses } = await setUp();
  for (let n = 0; n < 3; n++) await sendSale(api, program, { referralCode: code });
  expect(await releaseCommissions(inDays(29), { limit: 10 })).toEqual({ released: 0, more: false });
  const two = await Promise.all([releaseCommissions(inDays(31), { limit: 10 }), releaseCommissions(inDays(31), { limit: 10 })]);
  expect(two.reduce((sum, run) => sum + run.released, 0)).toBe(3);
  expect(await statuses()).toEqual(['approved', 'approved', 'approved']);
  expect(await verifyLedger(inDays(0))).toEqual([]);
});

it('reports whether the batch was full', async () => {
  const { program, code } = await setUp();
  for (let n = 0; n < 3; n++) await sendSale(api, program, { referralCode: code });
  expect(await releaseCommissions(inDays(31), { limit: 2 })).toEqual({ released: 2, more: true });
  expect(await releaseCommissions(inDays(31), { limit: 2 })).toEqual({ released: 1, more: false });
});

it('skips a fully refunded commission and approves the rest of a partially refunded one', async () => {
  const { program, code, statuses } = await setUp();
  const [full, half] = [`sale-${unique()}`, `sale-${unique()}`];
  await sendSale(api, program, { saleId: full, referralCode: code });
  await sendSale(api, program, { saleId: half, referralCode: code });
  await sendRefund(api, program, { saleId: full, amount: 10_000 });
  await sendRefund(api, program, { saleId: half, amount: 5_000 });
  expect((await releaseCommissions(inDays(31), { limit: 10 })).released).toBe(1);
  expect(await statuses()).toEqual(['partially_refunded', 'refunded']);
  expect(await verifyLedger(inDays(0))).toEqual([]);
});
