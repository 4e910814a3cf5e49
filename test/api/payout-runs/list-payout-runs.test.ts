import { useTestApi } from '../../support/api.ts';
import { makePayees } from './support.ts';

const api = useTestApi();

it('returns the runs of the merchant, newest first, by status and program', async () => {
  const { key, programId, draft, act } = await makePayees(api, 1);
  const first = (await draft()).data.id;
  await act(first, 'cancel');
  const second = (await draft({ programId })).data.id;
  const list = async (query: Record<string, string> = {}) =>
    (await api.call('GET', '/payout-runs', { key, query })).data.map(({ id }: { id: string }) => id);
  expect(await list()).toEqual([second, first]);
  expect(await list({ status: 'cancelled' })).toEqual([first]);
  expect(await list({ programId })).toEqual([second]);
  const other = await makePayees(api, 1);
  expect((await api.call('GET', '/payout-runs', { key: other.key })).data).toEqual([]);
});
