import { getPayoutSnapshot } from '../../../src/domains/payouts/payout-state.queries.ts';
import { DAY_MS, HOUR_MS } from '../../../src/platform/clock.ts';
import { anyAddress } from '../../support/api.ts';
import { makeKey } from '../../support/factories.ts';
import { makeManualPayout } from '../../support/payouts.ts';
import { payByRail, rowsOf, transferOf, useRailApi } from '../../support/rail-payouts.ts';

const api = useRailApi();

beforeEach(() => {
  api.provider.onSubmit((order) => transferOf(order, 'accepted'));
});

const agoIso = (ms: number): string => new Date(Date.now() - ms).toISOString();

/** Everything that says when a payout was paid. */
const timesOf = async (payoutId: string, key: string) => {
  const { data } = await api.call('GET', `/payouts/${payoutId}`, { key });
  const ctx = api.runtime.context({ kind: 'system', name: 'test' });
  const { paidAt } = await getPayoutSnapshot(ctx, payoutId);
  const has = async (query: Record<string, string>) =>
    (await api.call('GET', '/payouts', { key, query })).data.length === 1 &&
    (await api.call('GET', '/payouts/stats', { key, query })).data.count === 1;
  return { data, temporal: paidAt, has };
};

it('BR11: a payment by hand was paid when the bank executed it, and is found by that in lists, stats and Temporal', async () => {
  const { act, key, payoutId } = await makeManualPayout(api);
  await rowsOf(api, "update payout set created_at = created_at - interval '9 days' where id = ?", [payoutId]);
  await act('process');
  const executedAt = agoIso(5 * DAY_MS);
  const completed = await act('complete', { executedAt });
  expect(completed.data).toMatchObject({ paidAt: executedAt, executedAt });
  const { data, temporal, has } = await timesOf(payoutId, key);
  expect([data.paidAt, temporal]).toEqual([executedAt, executedAt]);
  expect(Date.parse(data.completedAt)).toBeGreaterThan(Date.now() - HOUR_MS);
  expect(await has({ paidFrom: agoIso(6 * DAY_MS), paidTo: agoIso(4 * DAY_MS) })).toBe(true);
  expect(await has({ paidFrom: agoIso(4 * DAY_MS) })).toBe(false);
});

it('BR11: without a time of the bank, a payment by hand was paid when it was recorded', async () => {
  const { act, key, payoutId } = await makeManualPayout(api);
  await act('process');
  await act('complete');
  const { data, temporal, has } = await timesOf(payoutId, key);
  expect([data.paidAt, temporal]).toEqual([data.completedAt, data.completedAt]);
  expect(await has({ paidFrom: agoIso(HOUR_MS) })).toBe(true);
});

/** What a provider says, and whether it is believed. */
const SAID: [what: string, ms: number, isBelieved: boolean][] = [
  ['an hour ago', HOUR_MS, true],
  ['in an hour', -HOUR_MS, false],
  ['a year before there was a payout', 365 * DAY_MS, false],
];

it.each(SAID)('BR11: a provider that says that it paid %s', async (_what, ms, isBelieved) => {
  const { payoutId, key, send, report } = await payByRail(api);
  await send();
  const occurredAt = new Date(Date.now() - ms);
  await report('paid', { occurredAt });
  const { data, temporal, has } = await timesOf(payoutId, key);
  expect(data.status).toBe('completed');
  expect(data.paidAt === occurredAt.toISOString()).toBe(isBelieved);
  expect(temporal).toBe(data.paidAt);
  if (!isBelieved) expect(data.paidAt).toBe(data.completedAt);
  expect(await has({ paidFrom: data.paidAt })).toBe(true);
});

it('BR11: the time of a return is not that of the payment', async () => {
  const { payoutId, key, send, report } = await payByRail(api);
  await send();
  await report('returned', { occurredAt: new Date(Date.now() - HOUR_MS) });
  const { data } = await timesOf(payoutId, key);
  expect(data.paidAt).toBe(data.completedAt);
});

it('BR11: the export has both times, in the time zone of the merchant, and the affiliate reads the day of the bank', async () => {
  const { act, key, payoutId, profileId } = await makeManualPayout(api);
  const affiliate = await makeKey(api.runtime, { keyType: 'affiliate', ownerId: profileId, preset: 'readonly' });
  await api.call('PATCH', '/merchant', { key, body: { timezone: 'Pacific/Auckland' } });
  await rowsOf(api, "update payout set created_at = '2026-01-01T00:00:00Z' where id = ?", [payoutId]);
  await act('process');
  await act('complete', { executedAt: '2026-01-31' });
  const { data } = await api.call('GET', '/payouts/export', { key, query: { paidFrom: '2026-01-31', paidTo: '2026-01-31' } });
  const { pathname, search } = new URL(data.url);
  const { body } = await api.app.inject({ method: 'GET', url: pathname + search, remoteAddress: anyAddress() });
  const [header = '', line = ''] = body.trimEnd().split('\r\n');
  const cells = Object.fromEntries(header.split(',').map((name, at) => [name, line.split(',')[at]]));
  expect(cells['paid']).toBe('2026-01-31T00:00:00.000+13:00');
  const { completedAt } = (await api.call('GET', `/payouts/${payoutId}`, { key })).data;
  expect(cells['recorded']).toMatch(/\+1[23]:00$/);
  expect(new Date(cells['recorded'] ?? '').toISOString()).toBe(completedAt);
  const [mine] = (await api.call('GET', '/me/payouts', { key: affiliate.key })).data;
  expect(mine).toMatchObject({ paidAt: '2026-01-30T11:00:00.000Z', paidOn: '2026-01-31' });
});

it('BR11: the lists of a month read an index, in the order of payment', async () => {
  const { merchantId } = await makeManualPayout(api);
  const plans = await api.runtime.context({ kind: 'system', name: 'test' }).em.transactional(async (em) => {
    await em.execute('set local enable_seqscan = off');
    const explain = (more: string) =>
      em.execute(`explain select id from payout where merchant_id = '${merchantId}' ${more}
        and coalesce(executed_at, rail_paid_at, completed_at) >= '2026-01-01'
        order by coalesce(executed_at, rail_paid_at, completed_at) desc, id desc limit 10`);
    return [await explain(''), await explain("and status = 'completed'")].map((rows) => JSON.stringify(rows));
  });
  expect(plans[0]).toMatch(/payout_paid on payout/);
  expect(plans[1]).toMatch(/payout_paid(_by_status)? on payout/);
  expect(plans.join()).not.toMatch(/Sort Key/);
});
