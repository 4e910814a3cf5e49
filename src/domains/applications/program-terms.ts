import { hash } from 'node:crypto';
import type { ApplicationField, ProgramTerms } from '../../contracts/joining.ts';

/** Of a program, as a row. */
export const termsOf = (program: ProgramTerms): ProgramTerms => ({
  termsUrl: program.termsUrl,
  commissionType: program.commissionType,
  commissionPercent: program.commissionPercent,
  commissionLimitMonths: program.commissionLimitMonths,
  commissionHoldDays: program.commissionHoldDays,
  currency: program.currency,
});

/** Another one as soon as anything in the terms is different, or what is asked with them. */
export const versionOf = (terms: ProgramTerms, fields: readonly ApplicationField[] = []): string =>
  hash('sha256', JSON.stringify([terms, fields]), 'hex').slice(0, 16);
