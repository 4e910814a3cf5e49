import { limitOf } from '../../../src/domains/conversions/attribute/attribution.rules.ts';

const limitAfter = (first: string, commissionLimitMonths: number | null) =>
  limitOf({ commissionType: 'recurring_limited', commissionLimitMonths }, new Date(first))?.toISOString();

test('a limit of months ends on the same day, or on the last one of a shorter month', () => {
  expect(limitAfter('2026-01-15T10:00:00.000Z', 6)).toBe('2026-07-15T10:00:00.000Z');
  expect(limitAfter('2026-01-31T10:00:00.000Z', 1)).toBe('2026-02-28T10:00:00.000Z');
  expect(limitAfter('2028-02-29T10:00:00.000Z', 12)).toBe('2029-02-28T10:00:00.000Z');
  expect(limitAfter('2026-12-31T23:59:59.999Z', 2)).toBe('2027-02-28T23:59:59.999Z');
});

test('without a number of months it is a year, and other programs have no limit', () => {
  expect(limitAfter('2026-01-15T10:00:00.000Z', null)).toBe('2027-01-15T10:00:00.000Z');
  expect(limitOf({ commissionType: 'recurring', commissionLimitMonths: 3 }, new Date())).toBeNull();
});
