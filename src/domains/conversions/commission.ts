import type { ConversionStatus } from '../../contracts/conversions.ts';
import { percentOf } from '../../platform/money.ts';

/** Commission of what is left of a sale, in minor units. */
export const commissionOf = (sale: { amount: number; refunded: number; percent: number }): number =>
  percentOf(sale.amount - sale.refunded, sale.percent);

/** The status that refunds give a conversion. A rejected one stays rejected. */
export const statusAfterRefund = (status: ConversionStatus, amount: number, refunded: number): ConversionStatus => {
  if (status === 'rejected') return 'rejected';
  return refunded === amount ? 'refunded' : 'partially_refunded';
};
