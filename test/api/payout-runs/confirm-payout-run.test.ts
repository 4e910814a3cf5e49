import { useTestApi } from '../../support/api.ts';
import { makeKey } from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { addMember, makePayees } from './support.ts';

const api = useTestApi();

it('starts the run once, and tells its workflow', async () => {
  const { draft, confirm, act } = await makePayees(api, 2);
  const run = (await draft()).data;
  const both = await Promise.all([confirm(run), confirm(run)]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(both.find(({ status }) => status === 200)?.data).toMatchObject({ status: 'running', confirmedAt: expect.any(String) });
  expect(both.find(({ status }) => status === 409)?.error.details.reason).toBe('NOT_DRAFT');
  const waiting = await rowsOf(api, 'select topic from outbox where subject_id = ? order by topic', [run.id]);
  expect(waiting).toEqual([{ topic: 'payout_run.changed' }, { topic: 'payout_run.started' }]);
  expect((await act(run.id, 'confirm', { total: {}, items: 0 })).status).toBe(422);
});

it('RUN_CHANGED for other figures, and nothing starts', async () => {
  const { draft, act, read } = await makePayees(api, 2);
  const run = (await draft()).data;
  for (const body of [
    { total: { usd: 4_001 }, items: 2 },
    { total: { usd: 4_000 }, items: 3 },
    { total: { eur: 4_000 }, items: 2 },
    { total: { usd: 4_000, eur: 1 }, items: 2 },
  ])
    expect(await act(run.id, 'confirm', body)).toMatchObject({
      status: 409,
      error: { details: { reason: 'RUN_CHANGED', total: { usd: 4_000 } } },
    });
  expect((await read(run.id)).status).toBe('draft');
  expect((await act(run.id, 'confirm', { total: { USD: 4_000 }, items: 2 })).status).toBe(200);
});

it('compares the daily limit with the run as a whole, and reserves its total until it is final', async () => {
  const { key, merchantId, program, programId, draft, confirm, act, members } = await makePayees(api, 2);
  const limit = (usd: number) => api.call('PATCH', '/merchant', { key, body: { payoutDailyLimit: { usd } } });
  const run = (await draft({ affiliateIds: members.map(({ affiliateId }) => affiliateId) })).data;
  await limit(3_999);
  expect((await confirm(run)).error.details).toMatchObject({ reason: 'DAILY_LIMIT', limit: 3_999, created: 0, amount: 4_000 });
  // By the API, a higher limit waits for a second actor.
  await rowsOf(api, `update merchant set payout_daily_limit = '{"usd": 5999}' where id = ? returning id`, [merchantId]);
  expect((await confirm(run)).status).toBe(200);
  const alone = await addMember(api, program);
  const pay = () => api.call('POST', '/payouts', { key, body: { affiliateId: alone.affiliateId, programId } });
  expect((await pay()).error.details).toMatchObject({ reason: 'DAILY_LIMIT', created: 4_000, amount: 2_000 });
  await act(run.id, 'cancel');
  expect((await pay()).status).toBe(201);
});

it('waits for approval from the threshold on', async () => {
  const { key, merchantId, draft, confirm } = await makePayees(api, 2);
  await makeKey(api.runtime, { ownerId: merchantId });
  await api.call('PATCH', '/merchant', { key, body: { payoutApprovalThreshold: { usd: 4_000 } } });
  const run = (await draft()).data;
  expect((await confirm(run)).data).toMatchObject({ status: 'awaiting_approval', approvedAt: null });
});

it('counts what one actor paid and confirmed without approval in 24 hours, in both orders', async () => {
  const { key, merchantId, program, programId, members, draft, confirm, act } = await makePayees(api, 3);
  await makeKey(api.runtime, { ownerId: merchantId });
  await api.call('PATCH', '/merchant', { key, body: { payoutApprovalThreshold: { usd: 4_000 } } });
  const [first, second, third] = members.map(({ affiliateId }) => affiliateId);
  const pay = (affiliateId: string | undefined) => api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  const runOf = async (affiliateId: string | undefined) =>
    (await confirm((await draft({ affiliateIds: [affiliateId] })).data)).data;
  const running = await runOf(first);
  expect(running.status).toBe('running');
  expect((await pay(second)).data.approvalRequiredAt).not.toBeNull();
  await act(running.id, 'cancel');
  const { affiliateId: fourth } = await addMember(api, program);
  expect((await pay(fourth)).data.approvalRequiredAt).toBeNull();
  expect((await runOf(third)).status).toBe('awaiting_approval');
});
