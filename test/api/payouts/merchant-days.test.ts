import { after, DAY_MS } from '../../../src/platform/clock.ts';
import { anyAddress, useOwnApi } from '../../support/api.ts';
import { makeManualPayout } from '../../support/payouts.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { makeManualRun } from '../payout-runs/by-hand.ts';

let aheadMs = 0;
const clock = { now: () => new Date(Date.now() + aheadMs) };
const api = useOwnApi({}, { clock });

/** What is one day for the merchant is another one in UTC. */
const DAYS: [zone: string, now: string, today: string, tomorrow: string, start: string][] = [
  ['Pacific/Auckland', '2026-11-27T19:00:00Z', '2026-11-28', '2026-11-29', '2026-11-27T11:00:00.000Z'],
  ['Pacific/Kiritimati', '2026-11-27T10:00:00Z', '2026-11-28', '2026-11-29', '2026-11-27T10:00:00.000Z'],
  ['America/Los_Angeles', '2026-11-28T04:00:00Z', '2026-11-27', '2026-11-28', '2026-11-27T08:00:00.000Z'],
  ['America/Havana', '2026-11-01T04:30:00Z', '2026-11-01', '2026-11-02', '2026-11-01T04:00:00.000Z'],
  ['UTC', '2026-11-27T19:00:00Z', '2026-11-27', '2026-11-28', '2026-11-27T00:00:00.000Z'],
];

/** A payout that is processing, made at a time. Sales are signed by the clock of this machine. */
const makeIn = async (timezone: string, at: string) => {
  aheadMs = 0;
  const payout = await makeManualPayout(api);
  await api.call('PATCH', '/merchant', { key: payout.key, body: { timezone } });
  await rowsOf(api, 'update payout set created_at = ? where id = ?', [at, payout.payoutId]);
  aheadMs = Date.parse(at) - Date.now();
  await payout.act('process');
  return payout;
};

/** At any time, it is another day than in UTC in one of them. */
const FAR_ZONES = ['Pacific/Kiritimati', 'Pacific/Pago_Pago'] as const;

const dayAt = (zone: string, days = 0): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(after(clock.now(), days * DAY_MS));

/** What was made and paid today. */
const makeToday = async (timezone: string) => {
  aheadMs = 0;
  const payout = await makeManualPayout(api);
  await api.call('PATCH', '/merchant', { key: payout.key, body: { timezone } });
  await payout.act('process');
  await payout.act('complete', { executedAt: dayAt(timezone) });
  return payout;
};

it.each(DAYS)('BR10: in %s, at %s, today is not in the future, and tomorrow is', async (zone, at, today, tomorrow, start) => {
  const { act, read } = await makeIn(zone, at);
  const refused = await act('complete', { executedAt: tomorrow });
  expect([refused.status, refused.error.details.issues[0].path]).toEqual([422, 'executedAt']);
  expect(refused.error.message).toContain(`in your time zone, ${zone}, today is ${today}`);
  expect(await read()).toMatchObject({ status: 'processing', executedAt: null });
  expect((await act('complete', { executedAt: today })).data).toMatchObject({ status: 'completed', executedAt: start });
  expect((await act('return', { note: 'Closed', occurredAt: tomorrow })).status).toBe(422);
  expect((await act('return', { note: 'Closed', occurredAt: today })).data.status).toBe('failed');
});

it('BR10: a time of today is not in the future, whatever time it is, as clients send a day as its midnight in UTC', async () => {
  const { act } = await makeIn('Pacific/Auckland', '2026-11-27T19:00:00Z');
  expect((await act('complete', { executedAt: '2026-11-28T11:00:00Z' })).status).toBe(422);
  expect((await act('complete', { executedAt: '2026-11-28T00:00:00Z' })).status).toBe(200);
});

it('BR10: payouts of a run are marked as paid on a day of the merchant', async () => {
  aheadMs = 0;
  const { key, act, payoutIds, statuses } = await makeManualRun(api, 1);
  const zone = FAR_ZONES[0];
  await api.call('PATCH', '/merchant', { key, body: { timezone: zone } });
  await act('process');
  expect((await act('complete', { payoutIds, executedAt: '2026-02-30' })).status).toBe(422);
  expect((await act('complete', { payoutIds, executedAt: dayAt(zone, 1) })).data).toMatchObject({ done: 0, refused: 1 });
  expect((await act('complete', { payoutIds, executedAt: dayAt(zone) })).data).toMatchObject({ done: 1, refused: 0 });
  expect(await statuses()).toEqual(['completed']);
});

/** Lists and figures of a range, and whether the only object of the merchant is in it. */
const RANGES: [path: string, names: [string, string], has: (data: never) => boolean][] = [
  ['/payouts', ['startDate', 'endDate'], (data: unknown[]) => data.length === 1],
  ['/payouts', ['from', 'to'], (data: unknown[]) => data.length === 1],
  ['/payouts', ['paidFrom', 'paidTo'], (data: unknown[]) => data.length === 1],
  ['/payouts/stats', ['paidFrom', 'paidTo'], (data: { count: number }) => data.count === 1],
  ['/sales', ['from', 'to'], (data: unknown[]) => data.length === 1],
  ['/conversions', ['startDate', 'endDate'], (data: unknown[]) => data.length === 1],
];

it.each(RANGES)(
  'BR10: a range of days of %s by %j has the days of the merchant, the last one included',
  async (path, names, has) => {
    for (const zone of FAR_ZONES) {
      const { key } = await makeToday(zone);
      const between = async (...bounds: (string | undefined)[]): Promise<boolean> => {
        const query = Object.fromEntries(names.flatMap((name, at) => (bounds[at] === undefined ? [] : [[name, bounds[at]]])));
        const { status, data, text } = await api.call('GET', path, { key, query });
        if (status !== 200) throw new Error(text);
        return has(data as never);
      };
      const [yesterday, today, tomorrow] = [dayAt(zone, -1), dayAt(zone), dayAt(zone, 1)];
      expect(await between(today, today)).toBe(true);
      expect(await between(yesterday, tomorrow)).toBe(true);
      expect(await between(undefined, yesterday)).toBe(false);
      expect(await between(tomorrow)).toBe(false);
    }
  },
);

it.each(FAR_ZONES)('BR10: exports, the audit log and balances take the days of a merchant in %s', async (zone) => {
  const { key } = await makeToday(zone);
  const [yesterday, today, tomorrow] = [dayAt(zone, -1), dayAt(zone), dayAt(zone, 1)];
  const countIn = async (path: string, query: Record<string, string>) => {
    const { data } = await api.call('GET', path, { key, query });
    const { pathname, search } = new URL(data.url);
    const file = await api.app.inject({ method: 'GET', url: pathname + search, remoteAddress: anyAddress() });
    return file.body.trimEnd().split('\r\n').length - 1;
  };
  expect(await countIn('/payouts/export', { paidFrom: today, paidTo: today })).toBe(1);
  expect(await countIn('/payouts/export', { paidTo: yesterday })).toBe(0);
  expect(await countIn('/audit-log/export', { from: today, to: today })).toBeGreaterThan(0);
  expect(await countIn('/audit-log/export', { to: yesterday })).toBe(0);
  expect(await countIn('/audit-log/export', { from: tomorrow })).toBe(0);
  const balances = async (at: string) => (await api.call('GET', '/ledger/balances', { key, query: { at } })).data.length;
  expect(await balances(yesterday)).toBe(0);
  expect(await balances(today)).toBeGreaterThan(0);
});

it('BR10: the last day of an API key is a whole day of the merchant', async () => {
  const { key } = await makeIn('Pacific/Auckland', '2026-11-27T19:00:00Z');
  const create = (expiresAt: string) =>
    api.call('POST', '/auth/keys', { key, body: { name: 'Backend', preset: 'readonly', expiresAt } });
  expect((await create('2026-11-27')).status).toBe(422);
  expect((await create('2026-11-28')).data.key.expiresAt).toBe('2026-11-28T10:59:59.999Z');
});

it('BR10: the page of a payment shows days of the merchant', async () => {
  const { key, act, payoutId } = await makeIn('Pacific/Auckland', '2026-11-27T19:00:00Z');
  await act('complete', { executedAt: '2026-11-28' });
  const { data } = await api.call('GET', `/payouts/${payoutId}/remittance`, { key });
  const { body } = await api.app.inject({ method: 'GET', url: new URL(data.url).pathname, remoteAddress: anyAddress() });
  expect(body).toContain('<dt>Paid on</dt><dd>2026-11-28</dd>');
  expect(body).toContain('all dates in the time zone <bdi>Pacific/Auckland</bdi>');
});
