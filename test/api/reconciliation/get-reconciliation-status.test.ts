import { findPaymentsHold, holdPayments, liftPaymentsHold } from '../../../src/domains/payouts/index.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeDifference } from '../../support/differences.ts';
import { makeKey, makeMerchant } from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';

const api = useOwnApi();
const systemOf = () => api.runtime.context({ kind: 'system', name: 'test' });

const read = async (key: string) => (await api.call('GET', '/reconciliation', { key })).data;

test('counts what waits for the caller, and tells when their books were compared', async () => {
  const { key, merchantId } = await makeMerchant(api.runtime);
  expect(await read(key)).toEqual({ openDifferences: 0, comparedAt: null, paymentsHeld: null });
  const other = await makeMerchant(api.runtime);
  await makeDifference(api, { merchantId: other.merchantId });
  for (const kind of ['amount', 'fee', 'late'] as const) await makeDifference(api, { merchantId, kind });
  await rowsOf(api, `update reconciliation_difference set status = 'checking' where merchant_id = ? and kind = 'late'`, [
    merchantId,
  ]);
  expect(await read(key)).toEqual({ openDifferences: 2, comparedAt: expect.stringMatching(/Z$/), paymentsHeld: null });
});

test('says why nothing is paid, and since when, while that is so', async () => {
  const { key, merchantId } = await makeMerchant(api.runtime);
  await holdPayments(systemOf(), { cause: 'operator', reason: 'Only for the operator' });
  const { paymentsHeld } = await read(key);
  expect(paymentsHeld).toEqual({
    since: expect.stringMatching(/Z$/),
    cause: 'operator',
    explanation: 'The admin of this server put all payments on hold.',
  });
  const writer = await makeKey(api.runtime, { ownerId: merchantId, scopes: ['programs:read'] });
  expect((await api.call('GET', '/reconciliation', { key: writer.key })).error.code).toBe('INSUFFICIENT_SCOPE');
  const hold = await findPaymentsHold(systemOf());
  await liftPaymentsHold(systemOf(), { id: hold?.id ?? '', note: 'The books agree' });
  expect((await read(key)).paymentsHeld).toBeNull();
});
