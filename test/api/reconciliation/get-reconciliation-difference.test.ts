import { useTestApi } from '../../support/api.ts';
import { makeDifference } from '../../support/differences.ts';
import { makeMerchant } from '../../support/factories.ts';
import { MISSING_ID } from '../../support/payouts.ts';

const api = useTestApi();

it('tells both sides, what it means and what to do', async () => {
  const { merchantId, key } = await makeMerchant(api.runtime);
  const id = await makeDifference(api, { merchantId });
  const { data } = await api.call('GET', `/reconciliation/differences/${id}`, { key });
  expect(data).toMatchObject({ id, kind: 'missing_here', status: 'open', title: 'Not in our books', ours: null });
  expect(data.theirs).toMatchObject({ amount: 4_860, currency: 'usd', destination: 'a***@example.com' });
  expect(data.nextStep).toContain('Link it to that payout');
});

it('404 for a missing one, 403 for one of another merchant', async () => {
  const { merchantId } = await makeMerchant(api.runtime);
  const { key } = await makeMerchant(api.runtime);
  const id = await makeDifference(api, { merchantId });
  expect((await api.call('GET', `/reconciliation/differences/${MISSING_ID}`, { key })).status).toBe(404);
  expect((await api.call('GET', `/reconciliation/differences/${id}`, { key })).status).toBe(403);
});
