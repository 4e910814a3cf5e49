import type { Context } from '../../platform/context.ts';
import { invariant } from '../../platform/errors.ts';
import { applyWaitingRefunds, reduceSale } from './apply-refund.ts';
import type { Sale } from './sale.entity.ts';
import type { ExternalReference } from './sale-input.ts';
import { type CumulativeRefund, type KnownSale, lockSaleRow } from './sales.queries.ts';

/** Applies what was received before a sale that is now stored. A dispute is part of the sale from the start. */
export const applyWaiting = async (ctx: Context, reference: ExternalReference, known: KnownSale): Promise<void> => {
  if (!known.hasRefunds && !known.cumulativeRefund) return;
  const sale = await lockSaleRow(ctx, reference);
  invariant(sale, 'the sale is stored');
  if (known.hasRefunds) await applyWaitingRefunds(ctx, sale);
  if (known.cumulativeRefund) await applyCumulativeRefund(ctx, sale, known.cumulativeRefund);
};

/** Reduces a sale to a total that was refunded; false when it is reduced as far already. The caller must hold the sale's lock. */
export const applyCumulativeRefund = async (ctx: Context, sale: Sale, refund: CumulativeRefund): Promise<boolean> => {
  const amount = sale.refundedBase(refund) - sale.refunded;
  if (amount <= 0) return false;
  await reduceSale(ctx, sale, amount);
  return true;
};
