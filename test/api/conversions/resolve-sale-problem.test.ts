import { useTestApi } from '../../support/api.ts';
import { makeKey, makeMerchant } from '../../support/factories.ts';
import { MISSING_ID } from '../../support/payouts.ts';
import { sendStripeEvent, stripeEvent } from '../../support/stripe/stripe-events.ts';
import { makeStripeProgram } from '../../support/stripe/stripe-programs.ts';

const api = useTestApi();

const makeProblem = async () => {
  const made = await makeStripeProgram(api);
  await sendStripeEvent(api, made.endpoint, stripeEvent('charge.refunded', { id: 'ch_1' }));
  const [problem] = (await api.call('GET', '/sale-problems', { key: made.key })).data;
  const resolve = (key = made.key, body: Record<string, unknown> = { note: 'Booked by hand' }) =>
    api.call('POST', `/sale-problems/${problem.id}/resolve`, { key, body });
  const stored = async () => (await api.call('GET', '/sale-problems', { key: made.key })).data[0];
  return { ...made, problem, resolve, stored };
};

it('closes the problem once, and the audit log tells who did', async () => {
  const { resolve, stored, problem, key, keyId } = await makeProblem();
  const first = await resolve();
  expect(first).toMatchObject({ status: 200, data: { ...problem, resolvedAt: expect.any(String) } });
  expect((await resolve()).data).toEqual(first.data);
  expect(await stored()).toEqual(first.data);
  const { data } = await api.call('GET', '/audit-log', { key, query: { resourceId: problem.id } });
  expect(data).toMatchObject([{ action: 'sale_problem.resolved', actor: `key:${keyId}` }]);
});

it('404 for a missing problem, 403 for one of another merchant, 422 without a note: nothing is closed', async () => {
  const { resolve, stored, problem, key } = await makeProblem();
  const missing = await api.call('POST', `/sale-problems/${MISSING_ID}/resolve`, { key, body: { note: 'x' } });
  const other = await resolve((await makeMerchant(api.runtime)).key);
  const empty = await resolve(key, { note: ' ' });
  expect([missing.status, other.status, empty.status]).toEqual([404, 403, 422]);
  expect(await stored()).toEqual(problem);
});

it('needs affiliates:manage, as crediting a sale does', async () => {
  const { resolve, stored, problem, merchantId } = await makeProblem();
  const { key } = await makeKey(api.runtime, { ownerId: merchantId, scopes: ['conversions:read'] });
  expect((await resolve(key)).error).toMatchObject({ code: 'INSUFFICIENT_SCOPE' });
  expect(await stored()).toEqual(problem);
});
