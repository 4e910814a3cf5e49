import { useOwnApi } from '../../support/api.ts';
import { makeAffiliateKey } from '../../support/factories.ts';
import { MISSING_ID, makeManualPayout } from '../../support/payouts.ts';
import { rowsOf } from '../../support/rail-payouts.ts';

const api = useOwnApi();

it('gives the affiliate the page that the merchant gets, and nobody else', async () => {
  const { key, payoutId, profileId, act } = await makeManualPayout(api);
  const own = await makeAffiliateKey(api.runtime, profileId);
  const read = (id: string, by = own) => api.call('GET', `/me/payouts/${id}/remittance`, { key: by });
  expect((await read(payoutId)).error.details.reason).toBe('NOT_COMPLETED');
  await act('process');
  await act('complete');
  const mine = await read(payoutId);
  const theirs = await api.call('GET', `/payouts/${payoutId}/remittance`, { key });
  const bodyOf = async (url: string) => (await api.app.inject({ method: 'GET', url: new URL(url).pathname })).body;
  expect(await bodyOf(mine.data.url)).toBe(await bodyOf(theirs.data.url));
  const other = await makeManualPayout(api);
  expect((await read(other.payoutId)).status).toBe(403);
  expect((await read(MISSING_ID)).status).toBe(404);
  expect((await read(payoutId, await makeAffiliateKey(api.runtime, other.profileId))).status).toBe(403);
});

it('B7: says nothing of what the rail charges the merchant', async () => {
  const { payoutId, profileId, act } = await makeManualPayout(api);
  await act('process');
  await act('complete');
  await rowsOf(api, 'update payout set fee = 1234 where id = ?', [payoutId]);
  const key = await makeAffiliateKey(api.runtime, profileId);
  const { data } = await api.call('GET', `/me/payouts/${payoutId}/remittance`, { key });
  const { body } = await api.app.inject({ method: 'GET', url: new URL(data.url).pathname });
  expect(body).toContain('20.00 USD');
  expect(body).not.toMatch(/fee|12\.34|1234/i);
});
