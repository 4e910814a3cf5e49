import type { ConversionStatus } from '../../contracts/conversions.ts';
import { percentOf } from '../../platform/money.ts';

/** Commission on the amount of a sale that is not refunded, in minor units. */
export const commissionOf = (sale: { amount: number; refunded: number; percent: number }): number =>
  percentOf(sale.amount - sale.refunded, sale.percent);

/** Status of a conversion after a refund. A rejected conversion stays rejected. */
export const statusAfterRefund = (status: ConversionStatus, amount: number, refunded: number): ConversionStatus => {
  if (status === 'rejected') return 'rejected';
  return refunded === amount ? 'refunded' : 'partially_refunded';
};
