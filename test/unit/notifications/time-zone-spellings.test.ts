import { Settings } from 'luxon';
import { billingMonth } from '../../../src/domains/merchants/billing-month.rules.ts';
import { lastWeek } from '../../../src/domains/notifications/digest-week.rules.ts';

const NOW = new Date('2026-03-15T12:00:00Z');

/** Every one is the name of the same time zone, in another case. */
const spellings = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, number) =>
    [...name.toLowerCase()].map((letter, place) => ((number >> place) & 1 ? letter.toUpperCase() : letter)).join(''),
  );

const { DateTimeFormat } = Intl;
let made = 0;

beforeEach(() => {
  Settings.resetCaches();
  made = 0;
  Intl.DateTimeFormat = new Proxy(DateTimeFormat, {
    construct(target, options) {
      made++;
      return Reflect.construct(target, options);
    },
  });
});
afterEach(() => {
  Intl.DateTimeFormat = DateTimeFormat;
});

it.each([
  ['Europe/Berlin', billingMonth],
  ['Asia/Tokyo', lastWeek],
])('what is kept for a time zone is kept once, however its name is spelled: %s', (zone, inZone) => {
  const expected = inZone(NOW, zone);
  const first = made;
  for (const spelling of spellings(zone, 50)) expect(inZone(NOW, spelling)).toEqual(expected);
  expect(first).toBeGreaterThan(0);
  expect(made).toBe(first);
});
