import type { SaleOutcome } from '../../contracts/conversions.ts';

/** What a payment system is told about its event. */
export interface SaleResult extends Record<string, unknown> {
  outcome: SaleOutcome;
  conversionId: string | null;
}
