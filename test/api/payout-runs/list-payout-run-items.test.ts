import { useTestApi } from '../../support/api.ts';
import { addMember, makePayees } from './support.ts';

const api = useTestApi();

it('pages through the items, and finds those with a result and a reason', async () => {
  const { key, program, draft, items, members } = await makePayees(api, 3);
  const small = await addMember(api, program, 4_000);
  const run = (await draft()).data;
  const idsOf = (found: { affiliateId: string }[]) => found.map(({ affiliateId }) => affiliateId);
  const all = [...members, small].map(({ affiliateId }) => affiliateId).sort();
  const page = await api.call('GET', `/payout-runs/${run.id}/items`, { key, query: { limit: '2' } });
  expect(page.meta).toMatchObject({ total: 4, hasMore: true });
  const next = await api.call('GET', `/payout-runs/${run.id}/items`, {
    key,
    query: { limit: '2', cursor: page.meta.nextCursor },
  });
  expect([...idsOf(page.data), ...idsOf(next.data)]).toEqual(all);
  expect(idsOf(await items(run.id, { result: 'left_out' }))).toEqual([small.affiliateId]);
  expect(idsOf(await items(run.id, { reason: 'BELOW_THRESHOLD' }))).toEqual([small.affiliateId]);
  expect(await items(run.id, { result: 'planned', reason: 'BELOW_THRESHOLD' })).toEqual([]);
  expect((await api.call('GET', `/payout-runs/${run.id}/items`, { key, query: { result: 'paid' } })).status).toBe(400);
});
