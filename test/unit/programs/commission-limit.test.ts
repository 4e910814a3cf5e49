import { COMMISSION_TYPES } from '../../../src/contracts/programs.ts';
import { limitMonthsOf } from '../../../src/domains/programs/commission-limit.rules.ts';

test('recurring_limited uses the given months, then the current ones, then 12', () => {
  expect(limitMonthsOf('recurring_limited', 6, 24)).toBe(6);
  expect(limitMonthsOf('recurring_limited', undefined, 24)).toBe(24);
  expect(limitMonthsOf('recurring_limited', undefined, null)).toBe(12);
});

test('null resets recurring_limited to 12 months', () => {
  expect(limitMonthsOf('recurring_limited', null, 24)).toBe(12);
});

const unlimited = COMMISSION_TYPES.filter((type) => type !== 'recurring_limited');

test.each(unlimited)('a %s program has no limit, whatever the current one', (type) => {
  expect(limitMonthsOf(type, undefined, 24)).toBeNull();
  expect(limitMonthsOf(type, null, 24)).toBeNull();
});

test.each(unlimited)('months for a %s program are reported at commissionLimitMonths', (type) => {
  expect(() => limitMonthsOf(type, 6, null)).toThrow(
    expect.objectContaining({
      code: 'VALIDATION_ERROR',
      details: { issues: [expect.objectContaining({ path: 'commissionLimitMonths' })] },
    }),
  );
});
