import type { SaleOutcome } from '../../contracts/conversions.ts';

/** Response to a sale event. */
export interface SaleResult extends Record<string, unknown> {
  outcome: SaleOutcome;
  conversionId: string | null;
}
