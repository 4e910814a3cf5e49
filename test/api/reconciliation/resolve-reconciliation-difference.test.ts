import { useTestApi } from '../../support/api.ts';
import { makeDifference } from '../../support/differences.ts';
import { makeKey, makeMerchant } from '../../support/factories.ts';
import { MISSING_ID, makePayout } from '../../support/payouts.ts';
import { rowsOf } from '../../support/rail-payouts.ts';

const api = useTestApi();

const make = async (kind: 'missing_here' | 'amount' = 'missing_here') => {
  const payout = await makePayout(api);
  const id = await makeDifference(api, { merchantId: payout.merchantId, kind });
  const resolve = (body: object = { note: 'Paid by hand' }, key = payout.key) =>
    api.call('POST', `/reconciliation/differences/${id}/resolve`, { key, body });
  const read = async () => (await api.call('GET', `/reconciliation/differences/${id}`, { key: payout.key })).data;
  return { ...payout, id, resolve, read };
};

it('keeps what the person found, once, and the audit log tells who did', async () => {
  const { id, resolve, read, key, keyId } = await make();
  const { status, data } = await resolve();
  expect(status).toBe(200);
  expect(data).toMatchObject({ id, status: 'resolved', note: 'Paid by hand', resolvedBy: `key:${keyId}`, linkedPayoutId: null });
  expect((await resolve({ note: 'Again' })).error).toMatchObject({ code: 'CONFLICT', details: { reason: 'ALREADY_RESOLVED' } });
  expect(await read()).toEqual(data);
  const log = await api.call('GET', '/audit-log', { key, query: { resourceId: id } });
  expect(log.data).toMatchObject([{ action: 'reconciliation_difference.resolved', actor: `key:${keyId}` }]);
});

it('links a payment that is missing here to a payout', async () => {
  const { resolve, payoutId } = await make();
  await rowsOf(api, `update payout set rail = 'sandbox' where id = ?`, [payoutId]);
  expect((await resolve({ note: 'It is this one', payoutId })).data).toMatchObject({ linkedPayoutId: payoutId });
});

it('links no payout to another kind, none of another merchant, none that a person pays, and none that is being paid', async () => {
  const { resolve, act, payoutId, read } = await make();
  const foreign = await makePayout(api);
  expect((await resolve({ note: 'x', payoutId: foreign.payoutId })).status).toBe(403);
  expect((await resolve({ note: 'x', payoutId: MISSING_ID })).status).toBe(404);
  expect((await resolve({ note: 'x', payoutId })).status).toBe(422);
  await act('process');
  await rowsOf(api, `update payout set rail = 'sandbox' where id = ?`, [payoutId]);
  expect((await resolve({ note: 'x', payoutId })).error.details).toMatchObject({ reason: 'ATTEMPT_STARTED' });
  expect((await read()).status).toBe('open');
  const other = await make('amount');
  expect((await other.resolve({ note: 'x', payoutId: other.payoutId })).status).toBe(422);
});

it('needs a note and payouts:write; other merchants are refused', async () => {
  const { resolve, merchantId, read } = await make();
  const reader = await makeKey(api.runtime, { ownerId: merchantId, scopes: ['payouts:read'] });
  expect((await resolve({ note: ' ' })).status).toBe(422);
  expect((await resolve({ note: 'x' }, reader.key)).error.code).toBe('INSUFFICIENT_SCOPE');
  expect((await resolve({ note: 'x' }, (await makeMerchant(api.runtime)).key)).status).toBe(403);
  expect((await read()).status).toBe('open');
});
