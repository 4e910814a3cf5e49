import { type Context, inTransaction } from '../../../platform/context.ts';
import type { SaleResult } from '../record/sale-events.wire.ts';
import type { EventName } from '../record/sale-problem.steps.ts';
import { applyCapture, applySession } from './apply-capture.steps.ts';
import { applyStripeSale } from './apply-stripe-sale.steps.ts';
import { applyStripeSignUp } from './apply-stripe-sign-up.steps.ts';
import { applyToStripeSale } from './apply-to-stripe-sale.steps.ts';
import { storeDiscount, storePromotionCode } from './coupon-codes.queries.ts';
import { settleSalesNaming } from './settle-stripe-sale.steps.ts';
import { findInvoice, lockStripeObject, storeDispute, storeInvoice } from './stripe.queries.ts';
import type { StripeEventResult, StripeResult } from './stripe-event.rules.ts';
import type {
  StripeDiscount,
  StripeDispute,
  StripeFact,
  StripeInvoicePayment,
  StripePromotionCode,
  StripeRefund,
  StripeRefundState,
} from './stripe-fact.rules.ts';
import { storeRefund, storeRefundState } from './stripe-refunds.queries.ts';
import { listStripeScopes, type StripeSource } from './stripe-scope.steps.ts';

type PaymentFact = StripeInvoicePayment | StripeRefund | StripeRefundState | StripeDispute;

/**
 * A transaction locks the balances of one sale or one customer. A fact about more is applied in several, each of which changes nothing
 * when it is repeated: Stripe repeats an event that failed.
 */
export const applyStripeFact = (
  ctx: Context,
  source: StripeSource,
  fact: StripeFact,
  event: EventName,
): Promise<StripeResult> => {
  if (fact.kind === 'sale') return applyStripeSale(ctx, source, fact, event);
  if (fact.kind === 'session') return applySession(ctx, source, fact, event);
  if (fact.kind === 'capture') return applyCapture(ctx, source, fact, event);
  if (fact.kind === 'promotion_code') return applyPromotionCode(ctx, source, fact, event);
  if (fact.kind === 'discount') return applyDiscount(ctx, source, fact, event);
  return fact.kind === 'sign_up' ? applyStripeSignUp(ctx, source, fact, event) : applyPaymentFact(ctx, source, fact, event);
};

const applyDiscount = async (
  ctx: Context,
  source: StripeSource,
  fact: StripeDiscount,
  event: EventName,
): Promise<StripeResult> => {
  const store = (merchantIds: string[]) => storeDiscount(ctx, merchantIds, fact);
  const told = await tellSales(ctx, source, { id: fact.discountId, store, event });
  if (told === 'ignored') return told;
  const applied = fact.signUp && (await applyStripeSignUp(ctx, source, fact.signUp, event));
  return applied && applied !== 'ignored' && applied.outcome !== 'unattributed' ? applied : told;
};

/** Stripe tells of a code each time that somebody uses it, which may be just after the payment. */
const applyPromotionCode = (
  ctx: Context,
  source: StripeSource,
  fact: StripePromotionCode,
  event: EventName,
): Promise<StripeResult> =>
  tellSales(ctx, source, {
    id: fact.promotionCodeId,
    store: (merchantIds) => storePromotionCode(ctx, merchantIds, fact),
    event,
  });

interface Told {
  /** The discount or promotion code. */
  id: string;
  store(merchantIds: string[]): Promise<number>;
  event: EventName;
}

/** Stored first: an invoice that arrives at the same time finds it, or is found by it. */
const tellSales = async (ctx: Context, source: StripeSource, { id, store, event }: Told): Promise<StripeResult> => {
  const scopes = await listStripeScopes(ctx, source);
  if (scopes.length === 0) return 'ignored';
  const stored = await store(scopes.map(({ merchantId }) => merchantId));
  for (const scope of scopes) await settleSalesNaming(ctx, scope, id, event);
  return { outcome: stored > 0 ? 'recorded' : 'duplicate', conversionId: null };
};

const WAITING: SaleResult = { outcome: 'waiting', conversionId: null };

const applyPaymentFact = async (
  ctx: Context,
  source: StripeSource,
  fact: PaymentFact,
  event: EventName,
): Promise<StripeResult> => {
  const results: StripeEventResult[] = [];
  for (const { merchantId } of await listStripeScopes(ctx, source)) {
    results.push(await inTransaction(ctx, (ctx) => applyForMerchant(ctx, merchantId, fact, event)));
  }
  return results.find(({ outcome }) => outcome !== 'waiting') ?? results[0] ?? 'ignored';
};

const applyForMerchant = async (
  ctx: Context,
  merchantId: string,
  fact: PaymentFact,
  event: EventName,
): Promise<StripeEventResult> => {
  await lockStripeObject(ctx, merchantId, fact.paymentId);
  if (fact.kind === 'refund') await storeRefund(ctx, merchantId, { refund: fact, eventId: event.eventId });
  if (fact.kind === 'refund_state') await storeRefundState(ctx, merchantId, { refund: fact, eventId: event.eventId });
  if (fact.kind === 'dispute') await storeDispute(ctx, merchantId, fact);
  const invoiceId = fact.kind === 'invoice_payment' ? fact.invoiceId : await findInvoice(ctx, merchantId, fact.paymentId);
  if (invoiceId !== null) await lockStripeObject(ctx, merchantId, invoiceId);
  if (fact.kind === 'invoice_payment') await storeInvoice(ctx, merchantId, fact);
  const ids = invoiceId === null ? [fact.paymentId] : [fact.paymentId, invoiceId];
  return (await applyToStripeSale(ctx, merchantId, ids)) ?? WAITING;
};
