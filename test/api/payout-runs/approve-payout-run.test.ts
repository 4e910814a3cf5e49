import { useTestApi } from '../../support/api.ts';
import { makeKey } from '../../support/factories.ts';
import { makePayees } from './support.ts';

const api = useTestApi();

const makeWaiting = async () => {
  const payees = await makePayees(api, 2);
  const { key, merchantId, draft, confirm } = payees;
  const second = (await makeKey(api.runtime, { ownerId: merchantId })).key;
  await api.call('PATCH', '/merchant', { key, body: { payoutApprovalThreshold: { usd: 1 } } });
  const run = (await draft()).data;
  return { ...payees, second, run, wait: () => confirm(run) };
};

it('a run is approved by another actor than who drafted or confirmed it, with a key from before the draft', async () => {
  const { merchantId, second, run, act, wait } = await makeWaiting();
  expect((await act(run.id, 'approve', undefined, second)).error.details).toMatchObject({ reason: 'ILLEGAL_TRANSITION' });
  await wait();
  expect((await act(run.id, 'approve')).error.details).toMatchObject({ reason: 'SAME_ACTOR', cause: 'same_line' });
  const late = (await makeKey(api.runtime, { ownerId: merchantId })).key;
  expect((await act(run.id, 'approve', undefined, late)).error.details).toMatchObject({
    reason: 'SAME_ACTOR',
    cause: 'newer_key',
  });
  const approve = () => act(run.id, 'approve', undefined, second);
  expect((await approve()).data).toMatchObject({ status: 'running', approvedAt: expect.any(String) });
  expect((await approve()).status).toBe(200);
});

it('a run is refused by cancelling it', async () => {
  const { second, run, act, wait } = await makeWaiting();
  await wait();
  const { data } = await act(run.id, 'cancel', undefined, second);
  expect(data).toMatchObject({ status: 'cancelled', cancelReason: 'approval_refused' });
});
