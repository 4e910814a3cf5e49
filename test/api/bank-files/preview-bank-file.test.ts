import { useTestApi } from '../../support/api.ts';
import { makeKey } from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { makeBankPayouts } from './support.ts';

const api = useTestApi();

test('a preview says what a file would hold, and names that it would write differently', async () => {
  const { call, make, payoutIds } = await makeBankPayouts(api, ['Ada A', 'Zoë Müller', 'Cy C'], {
    account: { maxTransactions: 2 },
  });
  const { data } = await call('GET', '/bank-files/preview');
  expect(data).toMatchObject({ account: 'DE89…3000', payments: 3, total: 6_000, currency: 'eur', files: 2, changedNames: 1 });
  expect(data.changed).toMatchObject([{ payoutId: payoutIds[1], payee: 'Zoë Müller', payeeAsSent: 'Zoe Mueller' }]);
  const one = await call('GET', `/bank-files/preview?payoutId=${payoutIds[0]}`);
  expect(one.data).toMatchObject({ payments: 1, total: 2_000, files: 1, changed: [] });
  const { files } = (await make()).data;
  expect(files[0].executionDate).toBe(data.executionDate);
  expect((await call('GET', '/bank-files/preview')).data).toMatchObject({ payments: 0, total: 0, files: 0, currency: null });
});

test('payouts that a file would leave out are listed with the reason', async () => {
  const { call, payoutIds, merchantId } = await makeBankPayouts(api, ['Ada A', 'Bob B', 'Cy C']);
  await rowsOf(api, 'update payout set approval_required_at = now() where id = ?', [payoutIds[0]]);
  await rowsOf(api, `update payout set amount = 99999999999 + amount where id = ?`, [payoutIds[1]]);
  const { data } = await call('GET', '/bank-files/preview');
  expect(data).toMatchObject({ payments: 1, total: 2_000, leftOut: 2 });
  expect(Object.fromEntries(data.heldBack.map((held: { payoutId: string }) => [held.payoutId, held]))).toMatchObject({
    [String(payoutIds[0])]: { reason: 'APPROVAL_REQUIRED', cause: null },
    [String(payoutIds[1])]: { reason: 'RAIL_CANNOT_PAY', cause: 'above_limit' },
  });
  const reader = await makeKey(api.runtime, { ownerId: merchantId, scopes: ['payouts:read'] });
  expect((await call('GET', '/bank-files/preview', undefined, reader.key)).status).toBe(403);
});

test('without an account, for a manual payout and for one of another merchant, there is no preview', async () => {
  const [own, other] = [await makeBankPayouts(api, ['Ada A']), await makeBankPayouts(api, ['Bob B'])];
  expect((await own.call('GET', `/bank-files/preview?payoutId=${other.payoutIds[0]}`)).status).toBe(404);
  await rowsOf(api, `update payout set rail = 'manual' where merchant_id = ?`, [own.merchantId]);
  const manual = await own.call('GET', `/bank-files/preview?payoutId=${own.payoutIds[0]}`);
  expect(manual.error.details.reason).toBe('RAIL_NOT_FILE');
  await rowsOf(api, 'update rail_account set is_current = false where merchant_id = ?', [own.merchantId]);
  const { error } = await own.call('GET', '/bank-files/preview');
  expect(error.details).toMatchObject({ reason: 'RAIL_CANNOT_PAY', cause: 'no_account' });
});
