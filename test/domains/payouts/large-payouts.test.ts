import { MAX_PAYOUT_COMMISSIONS } from '../../../src/contracts/limits.ts';
import { payableItemsOf } from '../../../src/domains/conversions/index.ts';
import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { runSql } from '../../../src/local-stack/sql.ts';
import { execute, firstRow, rows, sql } from '../../../src/platform/database/sql.ts';
import { useTestApi } from '../../support/api.ts';
import { makePayable, sendRefund, unique } from '../../support/factories.ts';

const api = useTestApi();

const context = () => api.runtime.context({ kind: 'system', name: 'test' });
type Payable = Awaited<ReturnType<typeof makePayable>>;

/** Adds approved commissions of one minor unit each, with their sales and ledger entries, without the work of triggers. */
const addCommissions = async (to: Payable, count: number): Promise<void> => {
  const prefix = unique();
  const owner = Object.assign(new URL(process.env['TEST_DATABASE_ADMIN_URL'] ?? ''), {
    pathname: new URL(api.runtime.config.DATABASE_URL).pathname,
  });
  await runSql(
    owner.href,
    'begin',
    `set local session_replication_role = 'replica'`,
    `with made as (select uuidv7() as id, uuidv7() as sale_id, n from generate_series(1, ${count}) as n),
      sales as (insert into sale
        (id, merchant_id, program_id, provider, external_id, payload_hash, amount, currency, customer_id, affiliate_id, method, occurred_at, created_at)
        select sale_id, '${to.merchantId}', '${to.programId}', 'events', '${prefix}' || n, '', 5, 'usd', '${prefix}' || n, '${to.affiliateId}', 'metadata',
          now(), now() from made)
      insert into conversion (id, sale_id, merchant_id, program_id, affiliate_id, amount, commission, commission_percent, currency,
        status, method, screened_at, release_at, approved_at, created_at, updated_at)
      select id, sale_id, '${to.merchantId}', '${to.programId}', '${to.affiliateId}', 5, 1, 20, 'usd', 'approved', 'metadata',
        now(), now(), now(), now(), now() from made order by n`,
    `with transaction as (select uuidv7() as id)
      insert into ledger_entry (transaction_id, kind, account, owner_id, program_id, currency, amount, reference_id, created_at)
      select t.id, 'conversion', account, owner::uuid, '${to.programId}', 'usd', amount, t.id, now()
      from transaction t, (values ('merchant_expense', '${to.programId}', -${count}), ('payable', '${to.affiliateId}', ${count}))
        as line (account, owner, amount)`,
    `update ledger_balance set payable = payable + ${count} where affiliate_id = '${to.affiliateId}'`,
    'commit',
  );
};

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
  await addCommissions(member, MAX_PAYOUT_COMMISSIONS + 1_500);
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
  await addCommissions(member, 100);
  const { data } = await createPayout(member);
  await api.call('POST', `/payouts/${data.id}/cancel`, { key: member.key });
  expect((await createPayout(member)).data.amount).toBe(data.amount);
  expect(await verifyLedger(context())).toEqual([]);
});

test('G1: adjustments are all taken, and more commissions than the maximum when they leave less than the threshold', async () => {
  const member = await makePayable(api, { amount: 100_000 });
  await complete(member, (await createPayout(member)).data.id);
  await sendRefund(api, member.program, { saleId: member.saleId, amount: 100_000 });
  await addCommissions(member, 2 * MAX_PAYOUT_COMMISSIONS);
  expect(await createPayout(member)).toMatchObject({
    status: 409,
    error: { details: { reason: 'NOTHING_PAYABLE', payable: 0 } },
  });
  await addCommissions(member, MAX_PAYOUT_COMMISSIONS);
  const { status, data } = await createPayout(member);
  expect([status, data.amount, await payableOf(member)]).toEqual([201, MAX_PAYOUT_COMMISSIONS, 0]);
  expect(await verifyLedger(context())).toEqual([]);
});

test('G1: what was paid is not read again, however much it is', async () => {
  const member = await makePayable(api);
  for (let n = 0; n < 2; n++) {
    await addCommissions(member, MAX_PAYOUT_COMMISSIONS);
    await complete(member, (await createPayout(member)).data.id);
  }
  await addCommissions(member, 20);
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
