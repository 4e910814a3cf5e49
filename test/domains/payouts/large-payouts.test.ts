import { MAX_PAYOUT_COMMISSIONS } from '../../../src/contracts/limits.ts';
import { payableItemsOf } from '../../../src/domains/conversions/index.ts';
import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { runSql } from '../../../src/local/stack/sql.ts';
import { execute, firstRow, rows, sql } from '../../../src/platform/database/sql.ts';
import { useOwnApi } from '../../support/api.ts';
import { makePayable, sendRefund } from '../../support/factories.ts';
import { addCommissions, ownerUrlOf } from '../../support/many-commissions.ts';

const api = useOwnApi();

const context = () => api.runtime.context({ kind: 'system', name: 'test' });
type Payable = Awaited<ReturnType<typeof makePayable>>;

const createPayout = ({ key, affiliateId, programId }: Payable) =>
  api.call('POST', '/payouts', { key, body: { affiliateId, programId } });

const complete = async ({ key }: Payable, id: string): Promise<void> => {
  for (const verb of ['process', 'complete']) {
    const response = await api.call('POST', `/payouts/${id}/${verb}`, { key });
    if (response.status !== 200) throw new Error(response.text);
  }
};

const payableOf = async ({ affiliateId }: Payable): Promise<number | undefined> =>
  (
    await firstRow(
      context().em,
      sql<{ payable: number }>`select payable::float8 as payable from ledger_balance where affiliate_id = ${affiliateId}::uuid`,
    )
  )?.payable;

test('G1: a payout takes the oldest commissions up to the maximum, and the next one takes the rest', async () => {
  const member = await makePayable(api, { amount: 10_000 });
  await addCommissions(api, member, MAX_PAYOUT_COMMISSIONS + 1_500);
  const pending = await api.call('GET', '/payouts/pending', { key: member.key });
  expect(pending.data[0]).toMatchObject({ pendingAmount: 2_000 + 11_500, commissionCount: MAX_PAYOUT_COMMISSIONS });
  const first = await createPayout(member);
  expect([first.status, first.data.amount]).toEqual([201, 2_000 + MAX_PAYOUT_COMMISSIONS - 1]);
  expect(await payableOf(member)).toBe(1_501);
  await complete(member, first.data.id);
  const rest = await api.call('GET', '/payouts/pending', { key: member.key });
  expect(rest.data[0]).toMatchObject({ pendingAmount: 1_501, commissionCount: 1_501 });
  const second = await createPayout(member);
  expect([second.status, second.data.amount, await payableOf(member)]).toEqual([201, 1_501, 0]);
  expect(await verifyLedger(context())).toEqual([]);
});

test('G1: a payout that was cancelled gives all its commissions back', async () => {
  const member = await makePayable(api);
  await addCommissions(api, member, 100);
  const { data } = await createPayout(member);
  await api.call('POST', `/payouts/${data.id}/cancel`, { key: member.key });
  expect((await createPayout(member)).data.amount).toBe(data.amount);
  expect(await verifyLedger(context())).toEqual([]);
});

test('G1: adjustments are all taken, and more commissions than the maximum when they leave less than the threshold', async () => {
  const member = await makePayable(api, { amount: 100_000 });
  await complete(member, (await createPayout(member)).data.id);
  await sendRefund(api, member.program, { saleId: member.saleId, amount: 100_000 });
  await addCommissions(api, member, 2 * MAX_PAYOUT_COMMISSIONS);
  expect(await createPayout(member)).toMatchObject({
    status: 409,
    error: { details: { reason: 'NOTHING_PAYABLE', payable: 0 } },
  });
  await addCommissions(api, member, MAX_PAYOUT_COMMISSIONS);
  const { status, data } = await createPayout(member);
  expect([status, data.amount, await payableOf(member)]).toEqual([201, MAX_PAYOUT_COMMISSIONS, 0]);
  expect(await verifyLedger(context())).toEqual([]);
});

test('G1: a balance that meets the threshold is paid in parts that do not', async () => {
  const member = await makePayable(api, { amount: 10 });
  const body = { payoutThreshold: 4 * MAX_PAYOUT_COMMISSIONS + 1_000 };
  await api.call('PATCH', `/programs/${member.programId}`, { key: member.key, body });
  await addCommissions(api, member, 4 * MAX_PAYOUT_COMMISSIONS + 998);
  const total = 4 * MAX_PAYOUT_COMMISSIONS + 1_000;
  const [{ pendingAmount, meetsThreshold }] = (await api.call('GET', '/payouts/pending', { key: member.key })).data;
  expect([pendingAmount, meetsThreshold]).toEqual([total, true]);
  const { status, data } = await createPayout(member);
  expect([status, data.amount, await payableOf(member)]).toEqual([201, total - 999, 999]);
  await complete(member, data.id);
  expect((await createPayout(member)).error.details).toMatchObject({ reason: 'BELOW_THRESHOLD', payable: 999 });
  expect(await verifyLedger(context())).toEqual([]);
});

test('G1: what was paid is not read again, however much it is', async () => {
  const member = await makePayable(api);
  for (let n = 0; n < 2; n++) {
    await addCommissions(api, member, MAX_PAYOUT_COMMISSIONS);
    await complete(member, (await createPayout(member)).data.id);
  }
  await addCommissions(api, member, 20);
  // With statistics from before these commissions, the planner expects the affiliate to have few and prefers an index of all.
  await runSql(ownerUrlOf(api), 'analyze conversion');
  const plan = JSON.stringify(
    await rows(context().em, sql`explain (analyze, format json) ${payableItemsOf(sql`${member.affiliateId}::uuid`)}`),
  );
  expect(plan).toContain('conversion_payable');
  expect(plan).not.toMatch(/Seq Scan|Rows Removed by Filter":[1-9]/);
  expect(plan).toMatch(/"Actual Rows":21\b/);
});

test('a mark that differs from the items of payouts is found by the verification', async () => {
  const member = await makePayable(api);
  const { data } = await createPayout(member);
  const { em } = context();
  const mark = (payoutId: string | null) =>
    execute(em, sql`update conversion set included_in = ${payoutId}::uuid where id = ${member.conversionId}::uuid`);
  await mark(null);
  expect(await verifyLedger(context())).toMatchObject([
    { rule: 'what a payout includes is marked as included', subject: member.conversionId },
  ]);
  await mark(data.id);
  expect(await verifyLedger(context())).toEqual([]);
});
