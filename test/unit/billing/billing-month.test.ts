import { billingMonth } from '../../../src/domains/merchants/billing-month.rules.ts';

const HOUR_MS = 3_600_000;
const monthAt = (now: string, timeZone: string) => {
  const { from, to } = billingMonth(new Date(now), timeZone);
  return { from: from.toISOString(), to: to.toISOString(), hours: (to.getTime() - from.getTime()) / HOUR_MS };
};

it('a month is that of the merchant, with its first millisecond and without that of the next', () => {
  const march = { from: '2026-02-28T23:00:00.000Z', to: '2026-03-31T22:00:00.000Z' };
  expect(monthAt('2026-02-28T23:00:00.000Z', 'Europe/Berlin')).toMatchObject(march);
  expect(monthAt('2026-03-31T21:59:59.999Z', 'Europe/Berlin')).toMatchObject(march);
  expect(monthAt('2026-03-31T22:00:00.000Z', 'Europe/Berlin')).toMatchObject({ from: march.to, to: '2026-04-30T22:00:00.000Z' });
});

it.each([
  ['Europe/Berlin', '2026-03-15T12:00:00Z', 743],
  ['Europe/Berlin', '2026-10-15T12:00:00Z', 745],
  ['Australia/Lord_Howe', '2026-04-15T12:00:00Z', 720.5],
  ['Australia/Lord_Howe', '2026-10-15T12:00:00Z', 743.5],
  ['UTC', '2026-02-15T12:00:00Z', 672],
])('months with a clock change have their own length: %s %s', (timeZone, now, hours) => {
  expect(monthAt(now, timeZone).hours).toBe(hours);
});

it('months of Lord Howe begin at local midnight on both sides of its clock changes', () => {
  expect(monthAt('2026-03-31T13:00:00Z', 'Australia/Lord_Howe')).toMatchObject({
    from: '2026-03-31T13:00:00.000Z',
    to: '2026-04-30T13:30:00.000Z',
  });
  expect(monthAt('2026-10-31T12:59:59.999Z', 'Australia/Lord_Howe')).toMatchObject({
    from: '2026-09-30T13:30:00.000Z',
    to: '2026-10-31T13:00:00.000Z',
  });
});

it('a time zone that this program does not know counts as UTC', () => {
  expect(monthAt('2026-02-15T12:00:00Z', 'Mars/Olympus')).toEqual(monthAt('2026-02-15T12:00:00Z', 'UTC'));
});
