import type { ConversionStatus } from '../../../contracts/conversions.ts';
import { percentOf } from '../../../platform/money.ts';

/** Commission on the amount of a sale that is not refunded, in minor units. */
export const commissionOf = (sale: { amount: number; refunded: number; percent: number }): number =>
  percentOf(sale.amount - sale.refunded, sale.percent);

/** Status of a conversion after a refund, or after one came to nothing. A rejected conversion stays rejected. */
export const statusAfterRefund = (
  status: ConversionStatus,
  amount: number,
  refunded: number,
  isApproved: boolean,
): ConversionStatus => {
  if (status === 'rejected') return 'rejected';
  if (refunded === 0) return isApproved ? 'approved' : 'pending';
  return refunded === amount ? 'refunded' : 'partially_refunded';
};
