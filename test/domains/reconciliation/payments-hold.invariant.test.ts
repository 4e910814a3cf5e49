import type { PaymentsHoldCause } from '../../../src/contracts/reconciliation.ts';
import { findPaymentsHold, holdPayments } from '../../../src/domains/payouts/index.ts';
import { storeRailAccount } from '../../../src/domains/payouts/rails/rail-accounts.steps.ts';
import { liftAfterFailover, resumePayments } from '../../../src/domains/reconciliation/index.ts';
import { makeDifference } from '../../support/differences.ts';
import { makePayout } from '../../support/payouts.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { compareSandbox, makePaidPayouts, plantDifferences, systemOf, useListApi } from '../../support/reconciliation.ts';

const api = useListApi();

/** Longer ago than the list of the provider is late. */
const hold = async (cause: PaymentsHoldCause) => {
  const isNew = await holdPayments(systemOf(api), { cause });
  await rowsOf(api, `update payments_hold set held_at = held_at - interval '1 hour' where lifted_at is null`);
  return isNew;
};
const isHeld = async () => (await findPaymentsHold(systemOf(api))) !== null;
const lift = () => liftAfterFailover(systemOf(api), api.runtime.rails);
const resume = (accept = false) => resumePayments(systemOf(api), api.runtime.rails, { accept });

afterEach(async () => {
  api.answer.status = 200;
  api.transfers.length = 0;
  await resume(true);
  for (const table of ['payee_hold_payout', 'payee_hold', 'reconciliation_difference', 'reconciliation_run'])
    await rowsOf(api, `delete from ${table}`);
});

it('after a failover, payments go on by themselves once a comparison is clean', async () => {
  expect(await hold('failover')).toBe(true);
  expect(await hold('database_behind')).toBe(false);
  expect(await lift()).toBe(false);
  api.answer.status = 503;
  await compareSandbox(api);
  expect(await lift()).toBe(false);
  api.answer.status = 200;
  await compareSandbox(api);
  expect([await lift(), await isHeld(), await lift()]).toEqual([true, false, false]);
});

it('after a failover that lost a payment, they do not', async () => {
  const { merchantId } = await makePayout(api);
  await hold('failover');
  await compareSandbox(api);
  await makeDifference(api, { merchantId });
  expect([await lift(), await isHeld()]).toEqual([false, true]);
});

it.each<PaymentsHoldCause>(['database_behind', 'database_replaced', 'operator'])(
  'a hold because of %s ends by an operator only, who is told what is open, or accepts it',
  async (cause) => {
    await hold(cause);
    const uncompared = await resume();
    expect(uncompared).toMatchObject({ ok: false, questions: { uncompared: [{ rail: 'sandbox' }], missingHere: 0 } });
    await compareSandbox(api);
    expect(await lift()).toBe(false);
    expect(await resume()).toMatchObject({ ok: true });
    expect(await isHeld()).toBe(false);
  },
);

it('payments that are missing here keep the hold until the operator accepts, and their payees stay held', async () => {
  await makePaidPayouts(api, 2);
  await hold('database_behind');
  await plantDifferences(api, 2);
  await compareSandbox(api);
  expect(await resume()).toMatchObject({ ok: false, questions: { uncompared: [], missingHere: 1 } });
  expect(await resume(true)).toMatchObject({ ok: true });
  expect(await isHeld()).toBe(false);
  expect(await rowsOf(api, 'select 1 from payee_hold where ended_at is null')).toHaveLength(1);
});

it('payments that people made without a list need a word', async () => {
  const { payoutId } = await makePayout(api);
  await rowsOf(api, `update payout set rail = 'manual', status = 'completed', completed_at = now() where id = ?`, [payoutId]);
  await hold('database_replaced');
  await compareSandbox(api);
  expect(await resume()).toMatchObject({ ok: false, questions: { withoutList: ['manual'], missingHere: 0 } });
  expect(await resume(true)).toMatchObject({ ok: true });
});

it('payouts that a person is still to pay need a word too: in hours that were lost, they may have been paid', async () => {
  const { payoutId } = await makePayout(api);
  await rowsOf(api, `update payout set completed_at = completed_at - interval '1 year' where rail = 'manual'`);
  await rowsOf(api, `update payout set rail = 'manual' where id = ?`, [payoutId]);
  await hold('database_behind');
  await compareSandbox(api);
  expect(await resume()).toMatchObject({ ok: false, questions: { withoutList: ['manual'] } });
});

it('a sum that a bank booked for a file that nobody here knows needs a word: its payments may be pending again', async () => {
  const { merchantId } = await makePayout(api);
  const account = { debtorName: 'Northwind GmbH', debtorIban: 'DE89370400440532013000' };
  const railAccountId = await storeRailAccount(systemOf(api), { merchantId, rail: 'sepa', account });
  await rowsOf(
    api,
    `insert into bank_booking (id, merchant_id, rail_account_id, key, booked_on, direction, is_reversal, is_return, amount, currency, problem, created_at)
      values (gen_random_uuid(), ?, ?, 'sum', current_date, 'debit', false, false, 4000, 'eur', 'unknown_file', now())`,
    [merchantId, railAccountId],
  );
  await hold('database_behind');
  await compareSandbox(api);
  const { ok, questions } = await resume();
  expect(ok).toBe(false);
  expect(questions?.withoutList).toContain('sepa');
});
