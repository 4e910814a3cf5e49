import { dayIn, isDay, localIso, timeIn } from '../../../src/platform/local-time.ts';

/** Clocks are put forward or back over midnight on these days, or are a day apart from others. */
const ZONES = [
  'Pacific/Auckland',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  'America/Los_Angeles',
  'America/Havana',
  'Atlantic/Azores',
  'Africa/Cairo',
  'Asia/Beirut',
  'Asia/Gaza',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'europe/berlin',
  'UTC',
];

const daysOf = (year: number): string[] =>
  Array.from({ length: 365 }, (_, at) => new Date(Date.UTC(year, 0, 1 + at)).toISOString().slice(0, 10));

it.each(ZONES)('BR10: each day of %s begins with its first millisecond, and ends where the next one begins', (zone) => {
  const days = daysOf(2026);
  for (const [at, day] of days.entries()) {
    const [start, end] = [timeIn(day, zone), timeIn(day, zone, 'end')];
    expect([dayIn(start, zone), dayIn(new Date(end.getTime() - 1), zone)]).toEqual([day, day]);
    expect(dayIn(new Date(start.getTime() - 1), zone) < day).toBe(true);
    const next = days[at + 1];
    if (next !== undefined) expect(timeIn(next, zone)).toEqual(end);
  }
});

it('a time of its own is that time in every zone', () => {
  for (const zone of ZONES)
    for (const edge of ['start', 'end'] as const)
      expect(timeIn('2026-11-28T01:30:00+02:00', zone, edge)).toEqual(new Date('2026-11-27T23:30:00Z'));
});

it.each(ZONES)('the first and the last day of all stay within what can be stored: %s', (zone) => {
  for (const day of ['0001-01-01', '9999-12-31'])
    for (const edge of ['start', 'end'] as const) expect(timeIn(day, zone, edge).toISOString()).toMatch(/^(0001|9999)-/);
});

it('a text with an offset begins with the day of the zone', () => {
  const at = new Date('2026-11-27T19:00:00.000Z');
  expect(localIso(at, 'Pacific/Auckland')).toBe('2026-11-28T08:00:00.000+13:00');
  expect(localIso(at, 'UTC')).toBe('2026-11-27T19:00:00.000Z');
  expect(localIso(at, 'No/Zone')).toBe('2026-11-27T19:00:00.000Z');
});

it('only a whole day is one', () => {
  expect(['2026-11-28', '2026-11-28T00:00:00Z', '2026-11', '20261128'].map(isDay)).toEqual([true, false, false, false]);
});
