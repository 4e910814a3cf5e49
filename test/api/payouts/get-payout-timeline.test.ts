import { useTestApi } from '../../support/api.ts';
import { makePayout } from '../../support/payouts.ts';
import { NEVER_RECEIVED, providerError } from '../../support/provider.ts';
import { payByRail, rowsOf, transferOf, useRailApi } from '../../support/rail-payouts.ts';

const api = useTestApi();
const railApi = useRailApi();

it('200: all entries, oldest first, with actor and note', async () => {
  const { key, keyId, payoutId, act } = await makePayout(api);
  await act('process');
  await act('fail', { note: 'Account closed' });
  const response = await api.call('GET', `/payouts/${payoutId}/timeline`, { key });
  expect(response.status).toBe(200);
  expect(response.data).toMatchObject([
    { type: 'created', description: 'Payout created', from: null, to: 'pending', actor: `key:${keyId}` },
    { type: 'attempt_reserved', from: 'pending', to: 'processing', attempt: 1 },
    { type: 'marked_failed', from: 'processing', to: 'failed', attempt: 1, note: 'Account closed' },
  ]);
});

it('W12: repeated look-ups with the same result are one entry, with a count and the time of the last one', async () => {
  const { send, lookUp, timeline } = await payByRail(railApi);
  await send();
  railApi.provider.onLookUp(() => providerError(500, 'internal_error'));
  for (let times = 0; times < 5; times++) await lookUp();
  railApi.provider.onLookUp(() => NEVER_RECEIVED);
  await lookUp();
  const checks = (await timeline()).filter(({ type }) => type === 'status_checked');
  expect(checks).toMatchObject([
    { outcome: 'unknown', reason: 'http_500', times: 5 },
    { outcome: 'never_received', times: 1 },
  ]);
  expect(Date.parse(checks[0]?.lastAt ?? '')).toBeGreaterThan(Date.parse(checks[0]?.at ?? ''));
});

it('W12: every entry is reachable, the newest ones first with order=desc', async () => {
  const { key, payoutId } = await makePayout(api);
  await rowsOf(
    api,
    `insert into payout_timeline (id, payout_id, at, type, actor, reminder)
     select gen_random_uuid(), ?, now(), 'reminder_sent', 'test', n from generate_series(1, 1500) as n`,
    [payoutId],
  );
  const read = (query: Record<string, string>) => api.call('GET', `/payouts/${payoutId}/timeline`, { key, query });
  const newest = await read({ order: 'desc', limit: '2' });
  expect(newest.data).toMatchObject([{ reminder: 1500 }, { reminder: 1499 }]);
  const next = await read({ order: 'desc', limit: '2', cursor: newest.meta.nextCursor });
  expect(next.data).toMatchObject([{ reminder: 1498 }, { reminder: 1497 }]);
  const oldest = await read({});
  expect(oldest.data).toHaveLength(100);
  expect(oldest.data[0]).toMatchObject({ type: 'created' });
  expect((await read({ page: '16' })).data.at(-1)).toMatchObject({ reminder: 1500 });
  expect((await read({ order: 'newest' })).status).toBe(400);
});

it("B6: every change of an attempt is an entry with the provider's own code", async () => {
  const { send, lookUp, report, notify, bookReturn, timeline, attempt, read, order } = await payByRail(railApi);
  railApi.provider.onSubmit(() => providerError(500, 'internal_error'));
  await send();
  railApi.provider.onLookUp(() => transferOf(order, 'accepted'));
  await lookUp();
  await report('paid');
  await notify('returned', { failureCode: 'account_closed' });
  await bookReturn();
  expect((await timeline()).slice(2)).toMatchObject([
    { type: 'attempt_sent', outcome: 'unknown', reason: 'http_500' },
    { type: 'status_checked', outcome: 'accepted' },
    { type: 'rail_accepted' },
    { type: 'rail_paid', to: 'completed' },
    { type: 'returned', to: 'failed', reason: 'account_closed' },
  ]);
  expect(await attempt()).toMatchObject({ outcome: 'returned', failure_code: 'account_closed' });
  expect(await read()).toMatchObject({ failureCode: 'returned', railReason: 'account_closed' });
});

it("B6: a failure at the provider is shown with the provider's own code", async () => {
  const { send, read, timeline } = await payByRail(railApi);
  railApi.provider.onSubmit(() => providerError(422, 'recipient_refused'));
  await send();
  expect(await read()).toMatchObject({ failureCode: 'rail_rejected', railReason: 'recipient_refused' });
  expect((await timeline()).at(-1)).toMatchObject({ type: 'rail_failed', reason: 'recipient_refused' });
  expect(await send()).toMatchObject({ railReason: 'recipient_refused', attemptOutcome: 'failed' });
});
