import { lastWeek } from '../../../src/domains/notifications/digest-week.rules.ts';

const HOUR_MS = 3_600_000;
const weekAt = (now: string, timeZone: string) => {
  const { name, from, to, before } = lastWeek(new Date(now), timeZone);
  return { name, from: from.toISOString(), to: to.toISOString(), hours: (to.getTime() - from.getTime()) / HOUR_MS, before };
};

it('a digest is due from Monday 08:00 of local time on, not a moment earlier', () => {
  expect(weekAt('2026-03-02T06:59:59.999Z', 'Europe/Berlin')).toMatchObject({
    name: '2026-02-23',
    to: '2026-02-23T07:00:00.000Z',
  });
  expect(weekAt('2026-03-02T07:00:00.000Z', 'Europe/Berlin')).toMatchObject({
    name: '2026-03-02',
    to: '2026-03-02T07:00:00.000Z',
  });
  expect(weekAt('2026-03-08T23:00:00.000Z', 'Europe/Berlin')).toMatchObject({ name: '2026-03-02', hours: 168 });
});

it('the week in which clocks go forward is an hour shorter, and that in which they go back an hour longer', () => {
  expect(weekAt('2026-03-30T06:00:00Z', 'Europe/Berlin')).toMatchObject({
    name: '2026-03-30',
    from: '2026-03-23T07:00:00.000Z',
    to: '2026-03-30T06:00:00.000Z',
    hours: 167,
  });
  expect(weekAt('2026-03-30T05:59:59Z', 'Europe/Berlin')).toMatchObject({ name: '2026-03-23' });
  expect(weekAt('2026-10-26T07:00:00Z', 'Europe/Berlin')).toMatchObject({
    name: '2026-10-26',
    from: '2026-10-19T06:00:00.000Z',
    to: '2026-10-26T07:00:00.000Z',
    hours: 169,
  });
  expect(weekAt('2026-10-26T06:59:59Z', 'Europe/Berlin')).toMatchObject({ name: '2026-10-19' });
  expect(weekAt('2026-03-09T12:00:00Z', 'America/New_York')).toMatchObject({ name: '2026-03-09', hours: 167 });
});

it('follows local Monday on both sides of the date line, and UTC for a time zone that it does not know', () => {
  expect(weekAt('2026-03-01T19:00:00Z', 'Pacific/Auckland')).toMatchObject({ name: '2026-03-02' });
  expect(weekAt('2026-03-01T18:59:59Z', 'Pacific/Auckland')).toMatchObject({ name: '2026-02-23' });
  expect(weekAt('2026-03-02T18:59:59Z', 'Pacific/Pago_Pago')).toMatchObject({ name: '2026-02-23' });
  expect(weekAt('2026-03-02T08:00:00Z', 'Mars/Olympus')).toEqual(weekAt('2026-03-02T08:00:00Z', 'UTC'));
});
