import { v7 } from 'uuid';
import { compareAccount, listMerchantAccounts, listOpenDifferences } from '../../../src/domains/reconciliation/index.ts';
import type { Context } from '../../../src/platform/context.ts';
import { DAY, makeBankPayouts } from '../../api/bank-files/support.ts';
import { useOwnApi } from '../../support/api.ts';
import { rowsOf } from '../../support/rail-payouts.ts';

const api = useOwnApi({}, { asOwner: true });

const DAY_MS = 86_400_000;
const daysAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
/** When the bank executes the file of a test. */
const EXECUTED = daysAgo(12);

const ctx = (): Context => {
  const base = api.runtime.context({ kind: 'system', name: 'test' });
  return { ...base, em: base.em.fork() as Context['em'] };
};

/** A file that the bank booked twelve days ago, two payments of which are paid, one refused and one returned. */
const makeBooked = async () => {
  await rowsOf(api, 'delete from details_refusal');
  const made = await makeBankPayouts(api, ['Ada Paid', 'Bea Paid', 'Bob ERRAC04RJCT', 'Cy ERRAC06RETN']);
  const { file } = await made.makeAndSend();
  await made.importAll(made.bank.execute(file.messageId, DAY));
  await made.importAll(made.bank.sendBack(file.messageId, DAY));
  expect(await made.states()).toEqual(['paid', 'paid', 'failed', 'returned']);
  await rowsOf(api, `update bank_file set execution_date = ? where id = ?`, [EXECUTED, file.id]);
  await rowsOf(api, `update bank_booking set booked_on = ? where merchant_id = ?`, [EXECUTED, made.merchantId]);
  await rowsOf(
    api,
    `update payout_attempt set created_at = created_at - interval '13 days', first_sent_at = null where payout_id = any(?::uuid[])`,
    [`{${made.payoutIds.join(',')}}`],
  );
  await rowsOf(api, `delete from bank_statement where merchant_id = ?`, [made.merchantId]);
  const [account] = await listMerchantAccounts(ctx(), { merchantId: made.merchantId }, { after: null, limit: 10 });
  if (!account) throw new Error('no account');
  const compare = () => compareAccount(ctx(), api.runtime.rails, { account, trigger: 'operator' });
  const kinds = async () =>
    (await listOpenDifferences(ctx(), { limit: 100, merchantId: made.merchantId })).map(({ kind, payoutId }) => ({
      kind,
      payoutId,
    }));
  return { ...made, account, compare, kinds };
};

/** Statements with numbers and balances that join each other, from day to day. */
const addStatements = async (
  { merchantId, account }: Awaited<ReturnType<typeof makeBooked>>,
  days: readonly [string, string, string],
) => {
  const balance = { amountMinor: 100, currency: 'eur' };
  const statements = [1, 2].map((sequence) => ({
    ...{ accountId: account.railAccountId, id: `S${sequence}`, sequence, opening: balance, closing: balance },
    ...{ from: days[sequence - 1], to: days[sequence] },
  }));
  await rowsOf(api, `delete from bank_statement where merchant_id = ?`, [merchantId]);
  await rowsOf(
    api,
    `insert into bank_statement (id, merchant_id, digest, kind, is_applied, report, statements, imported_by, created_at)
      values (?, ?, ?, 'statement', true, '{}', ?, 'key:test', now())`,
    [v7(), merchantId, v7(), JSON.stringify(statements)],
  );
};

test('statements that agree with the books are a clean comparison, complete up to their last day', async () => {
  const booked = await makeBooked();
  expect(booked.account.rail).toBe('sepa');
  expect(await booked.compare()).toMatchObject({ problem: null, payments: 4, differences: 0 });
  const runs = () => booked.call('GET', '/reconciliation/runs');
  expect((await runs()).data[0].completeUntil < EXECUTED).toBe(true);
  await addStatements(booked, [daysAgo(15), daysAgo(10), daysAgo(3)]);
  expect(await booked.compare()).toMatchObject({ problem: null, payments: 4, differences: 0 });
  expect((await runs()).data[0].completeUntil).toBe(`${daysAgo(2)}T00:00:00.000Z`);
});

test('a payment is missing at the bank once all days are known on which it could have been booked', async () => {
  const booked = await makeBooked();
  const [lost = ''] = booked.payoutIds;
  await rowsOf(api, `delete from bank_booking where payout_id = ?`, [lost]);
  expect(await booked.compare()).toMatchObject({ differences: 0 });
  await addStatements(booked, [daysAgo(15), daysAgo(14), daysAgo(9)]);
  expect(await booked.compare()).toMatchObject({ differences: 0 });
  await addStatements(booked, [daysAgo(15), daysAgo(10), daysAgo(3)]);
  expect(await booked.compare()).toMatchObject({ opened: 1, differences: 1 });
  expect(await booked.kinds()).toEqual([{ kind: 'missing_there', payoutId: lost }]);
});

test('a booked payment of ours that the books do not have holds payments of its amount at the bank', async () => {
  const booked = await makeBooked();
  await rowsOf(
    api,
    `insert into bank_booking (id, merchant_id, rail_account_id, key, booked_on, direction, is_reversal, is_return, amount, currency, idempotency_key, problem, created_at)
      values (?, ?, ?, 'lost', ?, 'debit', false, false, 2000, 'eur', ?, 'unknown_payment', now())`,
    [v7(), booked.merchantId, booked.account.railAccountId, EXECUTED, `payout-${v7()}-1`],
  );
  expect(await booked.compare()).toMatchObject({ opened: 1, differences: 1 });
  expect(await booked.kinds()).toEqual([{ kind: 'missing_here', payoutId: null }]);
  await rowsOf(api, 'delete from details_refusal');
  const again = await makeBankPayouts(api, ['Ada Paid'], {
    merchant: { key: booked.key, merchantId: booked.merchantId, keyId: '' },
  });
  expect((await again.make()).data).toMatchObject({ files: [], refused: [{ reason: 'PAYEE_HELD' }] });
});
