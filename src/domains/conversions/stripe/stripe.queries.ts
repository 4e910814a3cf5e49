import type { Context } from '../../../platform/context.ts';
import { lockName } from '../../../platform/database/lock-name.ts';
import { execute, firstRow, rows, sql } from '../../../platform/database/sql.ts';
import { anyOf } from '../../../platform/database/table.ts';
import { conflict } from '../../../platform/errors.ts';
import { db } from '../../tables.ts';
import { outweighsDispute } from '../record/sales.queries.ts';
import type { StripeDispute, StripeInvoicePayment } from './stripe-fact.rules.ts';
import { isOfSale } from './stripe-refunds.queries.ts';

/** Serializes the events of a payment or an invoice. Payments are locked before their invoice, and both before the sale. */
export const lockStripeObject = (ctx: Context, merchantId: string, id: string): Promise<number> =>
  lockName(ctx, `stripe:${merchantId}:${id}`);

/** PAYLOAD_MISMATCH when the payment pays another invoice too: nothing says which of them a refund is about. */
export const storeInvoice = async (ctx: Context, merchantId: string, link: StripeInvoicePayment): Promise<void> => {
  const { paymentId, invoiceId } = link;
  await execute(
    ctx.em,
    db
      .insertInto('stripe_payment')
      .values({ merchantId, paymentId, invoiceId, createdAt: ctx.clock.now().toISOString() })
      .onConflict((conflict) =>
        conflict
          .columns(['merchantId', 'paymentId'])
          .doUpdateSet(({ fn }) => ({ invoiceId: fn.coalesce('stripe_payment.invoiceId', 'excluded.invoiceId') })),
      ),
  );
  if ((await findInvoice(ctx, merchantId, paymentId)) === invoiceId) return;
  throw conflict('PAYLOAD_MISMATCH', 'The payment pays more than one invoice', { paymentId });
};

export const findInvoice = async (ctx: Context, merchantId: string, paymentId: string): Promise<string | null> => {
  const found = await firstRow(
    ctx.em,
    db.selectFrom('stripe_payment').select('invoiceId').where('merchantId', '=', merchantId).where('paymentId', '=', paymentId),
  );
  return found?.invoiceId ?? null;
};

/** An end is final, and a loss outweighs any other. */
export const storeDispute = (ctx: Context, merchantId: string, dispute: StripeDispute): Promise<number> => {
  const { disputeId, paymentId, status, disputedGross: amount, currency } = dispute;
  const reported = { status, amount, occurredAt: dispute.occurredAt.toISOString() };
  return execute(
    ctx.em,
    db
      .insertInto('stripe_dispute')
      .values({ merchantId, disputeId, paymentId, currency, ...reported })
      .onConflict((conflict) =>
        conflict.columns(['merchantId', 'disputeId']).doUpdateSet(reported).where(outweighsDispute('stripe_dispute')),
      ),
  );
};

export interface StripeSaleRow {
  id: string;
  programId: string;
  externalId: string;
  currency: string;
  conversionId: string | null;
  /** Minor units without tax. */
  refunded: number;
  occurredAt: string;
  /** What the customer was charged, with tax. */
  charged: number;
}

/** The sale with one of these ids in any program of the merchant: of a payment, or of the invoice that it pays. */
export const findStripeSale = (ctx: Context, merchantId: string, ids: readonly string[]): Promise<StripeSaleRow | null> =>
  firstRow(
    ctx.em,
    db
      .selectFrom('program as p')
      .innerJoin('sale as s', 's.programId', 'p.id')
      .leftJoin('conversion as c', 'c.saleId', 's.id')
      .select(['s.id', 's.programId', 's.externalId', 's.currency', 's.refunded', 's.occurredAt', 'c.id as conversionId'])
      .select(({ fn }) => fn.coalesce('s.chargedGross', 's.amount').as('charged'))
      .where('s.provider', '=', sql.lit('stripe'))
      .where('s.externalId', '=', anyOf(ids))
      .where('p.merchantId', '=', merchantId)
      .limit(sql.lit(1)),
  );

export interface StoredDispute {
  disputeId: string;
  status: StripeDispute['status'];
  amount: number;
  currency: string;
  occurredAt: string;
}

/** The disputes about the payments of a sale, oldest first. */
export const listDisputes = (ctx: Context, merchantId: string, saleId: string): Promise<StoredDispute[]> =>
  rows(
    ctx.em,
    db
      .selectFrom('stripe_dispute')
      .select(['disputeId', 'status', 'amount', 'currency', 'occurredAt'])
      .where(isOfSale(merchantId, saleId))
      .orderBy('occurredAt')
      .orderBy('disputeId'),
  );
