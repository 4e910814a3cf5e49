import { useTestApi } from '../../support/api.ts';
import { makeProtected } from '../../support/approvals.ts';
import { makeMerchant } from '../../support/factories.ts';
import { MISSING_ID } from '../../support/payouts.ts';

const api = useTestApi();

it('anybody with the scope stops it, and it never takes effect', async () => {
  const { change, settings, open, decide, applyIn, key, limits } = await makeProtected(api);
  await change({ detailsCooldownHours: 0 });
  const id = (await open())[0]?.id ?? '';
  expect(await decide(id, 'cancel', key)).toMatchObject({ status: 200, data: { status: 'cancelled' } });
  expect((await decide(id, 'approve')).error.details).toEqual({ reason: 'ALREADY_DECIDED', status: 'cancelled' });
  await applyIn(100);
  expect(await settings()).toEqual(limits);
});

it('404, 403 and 400: a missing change, one of another merchant, an unknown parameter', async () => {
  const { change, open, decide } = await makeProtected(api);
  await change({ payoutDailyLimit: null });
  const id = (await open())[0]?.id ?? '';
  const { key } = await makeMerchant(api.runtime);
  for (const verb of ['approve', 'cancel']) {
    expect((await decide(MISSING_ID, verb)).status).toBe(404);
    expect((await decide(id, verb, key)).status).toBe(403);
  }
  expect((await api.call('GET', '/merchant/pending-changes', { key })).data).toEqual([]);
  expect((await api.call('GET', '/merchant/pending-changes', { key, query: { status: 'open' } })).status).toBe(400);
});
