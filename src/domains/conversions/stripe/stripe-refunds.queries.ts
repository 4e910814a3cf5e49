import type { Context } from '../../../platform/context.ts';
import { type ExpressionBuilder, execute, rows, sql } from '../../../platform/database/sql.ts';
import { db, type Tables } from '../../tables.ts';
import type { StripeRefund, StripeRefundState } from './stripe-fact.rules.ts';

/** The largest total counts, so the order of arrival does not matter. */
export const storeRefund = (ctx: Context, merchantId: string, { refund, eventId }: ReportedRefund): Promise<number> => {
  const { paymentId, currency, refundedGross: refunded } = refund;
  const reported = { refunded, eventId, occurredAt: refund.occurredAt.toISOString() };
  return execute(
    ctx.em,
    db
      .insertInto('stripe_refund')
      .values({ merchantId, paymentId, currency, ...reported })
      .onConflict((conflict) =>
        conflict
          .columns(['merchantId', 'paymentId', 'currency'])
          .doUpdateSet(reported)
          .whereRef('excluded.refunded', '>', 'stripe_refund.refunded'),
      ),
  );
};

interface ReportedRefund {
  refund: StripeRefund;
  eventId: string;
}

interface ReportedState {
  refund: StripeRefundState;
  eventId: string;
}

/** The newest state counts; of two in the same second, that the refund came to nothing, which is final. */
export const storeRefundState = (ctx: Context, merchantId: string, { refund, eventId }: ReportedState): Promise<number> => {
  const { refundId, paymentId, currency, amount, isLive } = refund;
  const reported = { amount, isLive, eventId, occurredAt: refund.occurredAt.toISOString() };
  return execute(
    ctx.em,
    db
      .insertInto('stripe_single_refund')
      .values({ merchantId, refundId, paymentId, currency, ...reported })
      .onConflict((conflict) =>
        conflict
          .columns(['merchantId', 'refundId'])
          .doUpdateSet(reported)
          .where(
            sql<boolean>`(excluded.occurred_at, not excluded.is_live) > (stripe_single_refund.occurred_at, not stripe_single_refund.is_live)`,
          ),
      ),
  );
};

/** Whether a row is about a payment of a sale: the one that names it, or one that pays its invoice. */
export const isOfSale =
  (merchantId: string, saleId: string) =>
  ({
    and,
    or,
    eb,
  }: ExpressionBuilder<Tables, 'stripe_refund' | 'stripe_dispute' | 'stripe_single_refund' | 'stripe_authorization'>) => {
    const payments = eb.selectFrom('stripe_payment as p').select('p.paymentId');
    const ofInvoice = payments.where('p.merchantId', '=', merchantId).where('p.invoiceId', '=', saleId);
    return and([eb('merchantId', '=', merchantId), or([eb('paymentId', '=', saleId), eb('paymentId', 'in', ofInvoice)])]);
  };

interface SaleOfRefunds {
  externalId: string;
  currency: string;
}

/**
 * All refunds of the payments of a sale in its currency: those that are known one by one and did not come to nothing. The total that
 * was reported, less what came to nothing, counts where it is larger: some of its refunds are not known. What was never captured is
 * among them, and was never paid.
 */
export const sumRefunds = async (
  ctx: Context,
  merchantId: string,
  sale: SaleOfRefunds,
): Promise<{ refunded: number; at: Date | null }> => {
  const [totals, singles, captures] = [
    await rows(
      ctx.em,
      db
        .selectFrom('stripe_refund')
        .select(['paymentId', 'refunded', 'occurredAt'])
        .where(isOfSale(merchantId, sale.externalId))
        .where('currency', '=', sale.currency),
    ),
    await rows(
      ctx.em,
      db
        .selectFrom('stripe_single_refund')
        .select(['paymentId', 'isLive', ({ fn }) => fn.sum<number>('amount').as('amount')])
        .select(({ fn }) => fn.max<string>('occurredAt').as('occurredAt'))
        .where(isOfSale(merchantId, sale.externalId))
        .where('currency', '=', sale.currency)
        .groupBy(['paymentId', 'isLive']),
    ),
    await rows(
      ctx.em,
      db.selectFrom('stripe_authorization').select(['paymentId', 'released']).where(isOfSale(merchantId, sale.externalId)),
    ),
  ];
  const payments = new Set([...totals, ...singles].map(({ paymentId }) => paymentId));
  const refundedOf = (paymentId: string): number => {
    const total = totals.find((row) => row.paymentId === paymentId)?.refunded ?? 0;
    const [live, dead] = [true, false].map(
      (isLive) => singles.find((row) => row.paymentId === paymentId && row.isLive === isLive)?.amount ?? 0,
    ) as [number, number];
    const released = captures.find((row) => row.paymentId === paymentId)?.released ?? 0;
    return Math.max(0, Math.max(live, total - dead) - released);
  };
  const refunded = [...payments].reduce((sum, paymentId) => sum + refundedOf(paymentId), 0);
  const times = [...totals, ...singles].map(({ occurredAt }) => new Date(occurredAt).getTime());
  return { refunded, at: times.length === 0 ? null : new Date(Math.max(...times)) };
};

/** The events of refunds of a sale in other currencies than its own: the amount says nothing about the share. */
export const listOtherRefunds = (
  ctx: Context,
  merchantId: string,
  sale: SaleOfRefunds,
): Promise<{ eventId: string; paymentId: string }[]> =>
  rows(
    ctx.em,
    db
      .selectFrom('stripe_refund')
      .select(['eventId', 'paymentId'])
      .where(isOfSale(merchantId, sale.externalId))
      .where('currency', '<>', sale.currency),
  );
