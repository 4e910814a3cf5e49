import { useTestApi } from '../../support/api.ts';
import { makePayees } from './support.ts';

const api = useTestApi();

it('ends a run, and nobody is paid any more; cancelling again changes nothing', async () => {
  const { affiliateId, draft, confirm, act, reasons } = await makePayees(api, 1);
  const run = (await draft()).data;
  await confirm(run);
  await act(run.id, 'pause');
  const { data } = await act(run.id, 'cancel');
  expect(data).toMatchObject({ status: 'cancelled', cancelReason: 'person', pausedAt: null, finishedAt: expect.any(String) });
  expect(await reasons(run.id)).toEqual({ [affiliateId]: 'RUN_CANCELLED' });
  expect((await act(run.id, 'cancel')).data.finishedAt).toBe(data.finishedAt);
  for (const verb of ['pause', 'resume', 'approve']) expect((await act(run.id, verb)).status).toBe(409);
});
