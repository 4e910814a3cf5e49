import { completeDaysOf } from '../../../src/domains/bank-files/complete-days.rules.ts';
import { isTargetDay, targetDayFrom } from '../../../src/domains/bank-files/target-days.rules.ts';

test('banks settle on weekdays, but on neither fixed holidays nor those around Easter', () => {
  const closed = ['2026-01-01', '2026-04-03', '2026-04-06', '2026-05-01', '2026-12-25', '2026-12-26', '2026-11-28', '2026-11-29'];
  expect(closed.filter(isTargetDay)).toEqual([]);
  const easter = ['2000-04-21', '2000-04-24', '2027-03-26', '2027-03-29', '2038-04-23', '2038-04-26'];
  expect(easter.filter(isTargetDay)).toEqual([]);
  expect(['2026-11-30', '2026-04-02', '2026-04-07', '2026-12-24', '2026-12-31'].filter((day) => !isTargetDay(day))).toEqual([]);
  expect(isTargetDay('2026-02-30')).toBe(false);
});

test('a day on which banks are closed becomes the next one on which they settle', () => {
  expect(['2026-11-28', '2026-12-25', '2026-04-03', '2026-11-30'].map(targetDayFrom)).toEqual([
    '2026-11-30',
    '2026-12-28',
    '2026-04-07',
    '2026-11-30',
  ]);
});

const statement = (sequence: number | null, from: string, to: string, opening: number, closing: number) => ({
  accountId: 'a',
  id: String(sequence),
  sequence,
  from,
  to,
  opening: { on: from, amountMinor: opening, currency: 'eur' },
  closing: { on: to, amountMinor: closing, currency: 'eur' },
});

test('days are complete where the numbers and the balances of statements join', () => {
  const first = statement(1, '2026-11-02', '2026-11-02', 0, 10);
  const second = statement(2, '2026-11-04', '2026-11-05', 10, 30);
  expect(completeDaysOf([second, first])).toEqual(['2026-11-02', '2026-11-03', '2026-11-04', '2026-11-05']);
  expect(completeDaysOf([first])).toEqual([]);
  expect(completeDaysOf([first, statement(3, '2026-11-04', '2026-11-05', 10, 30)])).toEqual([]);
  expect(completeDaysOf([first, statement(2, '2026-11-04', '2026-11-05', 11, 30)])).toEqual([]);
  expect(completeDaysOf([first, statement(null, '2026-11-04', '2026-11-05', 10, 30)])).toEqual([]);
});
