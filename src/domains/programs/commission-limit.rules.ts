import type { CommissionType } from '../../contracts/programs.ts';
import { invalidField } from '../../platform/errors.ts';

const DEFAULT_MONTHS = 12;

/**
 * Months of commission for a program: only `recurring_limited` has a limit. `given` is what the caller sent
 * (undefined when omitted), `current` the value stored.
 */
export const limitMonthsOf = (
  type: CommissionType,
  given: number | null | undefined,
  current: number | null | undefined,
): number | null => {
  if (type === 'recurring_limited') return given ?? (given === undefined ? current : null) ?? DEFAULT_MONTHS;
  if (given !== undefined && given !== null) {
    throw invalidField('commissionLimitMonths', 'is only allowed when commissionType is recurring_limited');
  }
  return null;
};
