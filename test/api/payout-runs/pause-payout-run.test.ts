import { useTestApi } from '../../support/api.ts';
import { makePayees } from './support.ts';

const api = useTestApi();

it('pauses a running run; pausing again changes nothing', async () => {
  const { draft, confirm, act } = await makePayees(api, 1);
  const run = (await draft()).data;
  expect((await act(run.id, 'pause')).error.details).toMatchObject({ reason: 'ILLEGAL_TRANSITION', from: 'draft' });
  await confirm(run);
  const { data } = await act(run.id, 'pause');
  expect(data).toMatchObject({ status: 'paused', pausedAt: expect.any(String), progress: { perMinute: null } });
  expect((await act(run.id, 'pause')).data.pausedAt).toBe(data.pausedAt);
});
