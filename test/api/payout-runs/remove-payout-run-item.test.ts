import { randomUUID } from 'node:crypto';
import { useTestApi } from '../../support/api.ts';
import { makePayees } from './support.ts';

const api = useTestApi();

it('takes an affiliate out of a draft, once, and of nothing else', async () => {
  const { key, draft, confirm, reasons, members } = await makePayees(api, 2);
  const run = (await draft()).data;
  const [out, kept] = members.map(({ affiliateId }) => affiliateId);
  const remove = (affiliateId = out) => api.call('DELETE', `/payout-runs/${run.id}/items/${affiliateId}`, { key });
  expect(await remove()).toMatchObject({ status: 200, data: { total: { usd: 2_000 }, items: 1, progress: { waiting: 1 } } });
  expect((await remove()).data).toMatchObject({ items: 1 });
  expect(await reasons(run.id)).toEqual({ [out ?? '']: 'TAKEN_OUT', [kept ?? '']: null });
  expect((await remove(randomUUID())).status).toBe(404);
  expect((await confirm(run)).error.details).toMatchObject({ reason: 'RUN_CHANGED', total: { usd: 2_000 }, items: 1 });
  expect((await confirm({ ...run, total: { usd: 2_000 }, items: 1 })).status).toBe(200);
  expect((await remove(kept)).error.details).toMatchObject({ reason: 'NOT_DRAFT', status: 'running' });
  const log = await api.call('GET', '/audit-log', { key, query: { resourceType: 'payout_run' } });
  expect(log.data.map(({ action }: { action: string }) => action)).toEqual([
    'payout_run.confirmed',
    'payout_run.item_taken_out',
    'payout_run.created',
  ]);
});
