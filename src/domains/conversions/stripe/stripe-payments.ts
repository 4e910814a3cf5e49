import type { Context } from '../../../platform/context.ts';
import { lockName } from '../../../platform/database/lock-name.ts';
import { execute, firstRow, rows, sql } from '../../../platform/database/sql.ts';
import { conflict } from '../../../platform/errors.ts';
import type { StripeDispute, StripeInvoicePayment, StripeRefund } from './stripe-fact.ts';

/** Serializes the events of a payment or an invoice. Payments are locked before their invoice, and both before the sale. */
export const lockStripeObject = (ctx: Context, merchantId: string, id: string): Promise<number> =>
  lockName(ctx, `stripe:${merchantId}:${id}`);

const now = (ctx: Context) => sql`${ctx.clock.now().toISOString()}::timestamptz`;

/** The largest total counts, so the order of arrival does not matter. */
export const storeRefund = (ctx: Context, merchantId: string, refund: StripeRefund): Promise<number> =>
  execute(
    ctx.em,
    sql`insert into stripe_payment as known (merchant_id, payment_id, refunded, refunded_at, created_at) values
      (${merchantId}::uuid, ${refund.paymentId}, ${refund.refundedGross}::bigint,
       ${refund.occurredAt.toISOString()}::timestamptz, ${now(ctx)})
      on conflict (merchant_id, payment_id) do update set refunded = excluded.refunded, refunded_at = excluded.refunded_at
      where excluded.refunded > known.refunded`,
  );

/** PAYLOAD_MISMATCH when the payment pays another invoice too: nothing says which of them a refund is about. */
export const storeInvoice = async (ctx: Context, merchantId: string, link: StripeInvoicePayment): Promise<void> => {
  await execute(
    ctx.em,
    sql`insert into stripe_payment as known (merchant_id, payment_id, invoice_id, created_at) values
      (${merchantId}::uuid, ${link.paymentId}, ${link.invoiceId}, ${now(ctx)})
      on conflict (merchant_id, payment_id) do update set invoice_id = coalesce(known.invoice_id, excluded.invoice_id)`,
  );
  if ((await findInvoice(ctx, merchantId, link.paymentId)) === link.invoiceId) return;
  throw conflict('PAYLOAD_MISMATCH', 'The payment pays more than one invoice', { paymentId: link.paymentId });
};

export const findInvoice = async (ctx: Context, merchantId: string, paymentId: string): Promise<string | null> => {
  const found = await firstRow(
    ctx.em,
    sql<{ invoiceId: string | null }>`select invoice_id as "invoiceId" from stripe_payment
      where merchant_id = ${merchantId}::uuid and payment_id = ${paymentId}`,
  );
  return found?.invoiceId ?? null;
};

/** An end is final, and a loss outweighs any other. */
export const storeDispute = (ctx: Context, merchantId: string, dispute: StripeDispute): Promise<number> =>
  execute(
    ctx.em,
    sql`insert into stripe_dispute as known (merchant_id, dispute_id, payment_id, status, amount, currency, occurred_at) values
      (${merchantId}::uuid, ${dispute.disputeId}, ${dispute.paymentId}, ${dispute.status}, ${dispute.disputedGross}::bigint,
       ${dispute.currency}, ${dispute.occurredAt.toISOString()}::timestamptz)
      on conflict (merchant_id, dispute_id) do update set status = excluded.status, amount = excluded.amount,
        occurred_at = excluded.occurred_at
      where (known.status = 'opened' and excluded.status <> 'opened') or (known.status = 'closed' and excluded.status = 'lost')`,
  );

export interface StripeSaleRow {
  programId: string;
  externalId: string;
  currency: string;
  conversionId: string | null;
  /** What the customer was charged, with tax. */
  charged: number;
}

/** The sale with one of these ids in any program of the merchant: of a payment, or of the invoice that it pays. */
export const findStripeSale = (ctx: Context, merchantId: string, ids: readonly string[]): Promise<StripeSaleRow | null> =>
  firstRow(
    ctx.em,
    sql<StripeSaleRow>`select s.program_id as "programId", s.external_id as "externalId", s.currency,
        c.id as "conversionId", coalesce(s.charged_gross, s.amount)::float8 as charged
      from program p join sale s on s.program_id = p.id and s.provider = 'stripe' and s.external_id = any(${ids}::text[])
        left join conversion c on c.sale_id = s.id
      where p.merchant_id = ${merchantId}::uuid limit 1`,
  );

const paymentsOf = (merchantId: string, saleId: string) =>
  sql`merchant_id = ${merchantId}::uuid and (payment_id = ${saleId} or invoice_id = ${saleId})`;

/** All refunds of the payments of a sale. */
export const sumRefunds = async (ctx: Context, merchantId: string, saleId: string) => {
  const row = await firstRow(
    ctx.em,
    sql<{ refunded: number; at: string | null }>`select coalesce(sum(refunded), 0)::float8 as refunded, max(refunded_at) as at
      from stripe_payment where ${paymentsOf(merchantId, saleId)}`,
  );
  return { refunded: row?.refunded ?? 0, at: row?.at ? new Date(row.at) : null };
};

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
    sql<StoredDispute>`select dispute_id as "disputeId", status, amount::float8 as amount, currency, occurred_at as "occurredAt"
      from stripe_dispute where merchant_id = ${merchantId}::uuid and (payment_id = ${saleId} or payment_id in
        (select payment_id from stripe_payment where ${paymentsOf(merchantId, saleId)}))
      order by occurred_at, dispute_id`,
  );
