import { useTestApi } from '../../support/api.ts';
import { makePayees } from './support.ts';

const api = useTestApi();

it('goes on with a paused run, and with no other', async () => {
  const { draft, confirm, act } = await makePayees(api, 1);
  const run = (await draft()).data;
  expect((await act(run.id, 'resume')).error.details).toMatchObject({ reason: 'ILLEGAL_TRANSITION', from: 'draft' });
  await confirm(run);
  expect((await act(run.id, 'resume')).status).toBe(409);
  await act(run.id, 'pause');
  expect((await act(run.id, 'resume')).data).toMatchObject({ status: 'running', pausedAt: null });
});
