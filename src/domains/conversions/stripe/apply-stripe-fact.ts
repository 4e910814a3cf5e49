import { type Context, inTransaction } from '../../../platform/context.ts';
import { findCoupon } from '../../coupons/index.ts';
import type { SaleResult } from '../sale-events.wire.ts';
import { assertNotInFuture, type SaleEvidence } from '../sale-input.ts';
import type { UnusableParts } from '../unusable-parts.ts';
import { addEvidence } from '../use-cases/add-evidence.ts';
import { identifyCustomer } from '../use-cases/identify-customer.ts';
import { recordSale } from '../use-cases/record-sale.ts';
import { applyToStripeSale } from './apply-to-stripe-sale.ts';
import {
  findInvoice,
  findPromotionTexts,
  findStripeSale,
  lockStripeObject,
  storeDispute,
  storeInvoice,
  storePromotionCode,
  storeRefund,
} from './stripe.queries.ts';
import type { StripeEventResult } from './stripe-event.ts';
import type { StripeEvidence } from './stripe-evidence.ts';
import type { StripeFact, StripePromotionCode, StripeSale, StripeSignUp } from './stripe-fact.ts';
import { findStripeMerchants, findStripeProgram, type StripeSource } from './stripe-scope.ts';
import { toIdentification, toNewSale } from './to-new-sale.ts';

export type StripeResult = StripeEventResult | 'ignored';
type PaymentFact = Exclude<StripeFact, StripeSale | StripeSignUp | StripePromotionCode>;

/**
 * `ignored`: no program receives the events of this source. A transaction locks the balances of one sale or one customer. A fact
 * about more is applied in several, each of which changes nothing when it is repeated: Stripe repeats an event that failed.
 */
export const applyStripeFact = (
  ctx: Context,
  source: StripeSource,
  fact: StripeFact,
  event: UnusableParts['event'],
): Promise<StripeResult> => {
  if (fact.kind === 'sale') return inTransaction(ctx, (ctx) => applySale(ctx, source, fact, event));
  if (fact.kind === 'promotion_code') return applyPromotionCode(ctx, source, fact);
  return fact.kind === 'sign_up' ? applySignUp(ctx, source, fact, event) : applyPaymentFact(ctx, source, fact, event.eventId);
};

/** Stripe lists ids of coupons and of promotion codes; the first whose text or id is an affiliate's coupon counts. */
const toEvidence = async (
  ctx: Context,
  program: { id: string; merchantId: string },
  { clickToken, couponCodes }: StripeEvidence,
  at: Date,
): Promise<SaleEvidence> => {
  const named = couponCodes.slice(0, MAX_COUPONS);
  for (const couponCode of [...(await findPromotionTexts(ctx, program.merchantId, named)), ...named]) {
    if (await findCoupon(ctx, program.id, couponCode, at)) return { clickToken, couponCode };
  }
  return { clickToken };
};

const MAX_COUPONS = 20;

const applySale = async (
  ctx: Context,
  source: StripeSource,
  fact: StripeSale,
  event: UnusableParts['event'],
): Promise<StripeResult> => {
  const found = await findStripeProgram(ctx, source, fact.evidence.programId);
  if (!found) return 'ignored';
  const { merchantId } = found.program;
  const { paymentId, externalId: invoiceId } = fact;
  if (paymentId) await lockStripeObject(ctx, merchantId, paymentId);
  await lockStripeObject(ctx, merchantId, fact.externalId);
  if (paymentId) await storeInvoice(ctx, merchantId, { kind: 'invoice_payment', paymentId, invoiceId });
  // A repeat is of the program that has the sale, although programs may have come and gone since.
  const stored = await findStripeSale(ctx, merchantId, [fact.externalId]);
  const programId = stored?.programId ?? found.program.id;
  const evidence = await toEvidence(ctx, { id: programId, merchantId }, fact.evidence, fact.occurredAt);
  const result = await recordSale(ctx, {
    sale: toNewSale(ctx.cipher, programId, fact),
    evidence,
    otherCurrency: 'record',
    unattributed: found.isKnown ? null : 'PROGRAM_UNKNOWN',
    unusable: { members: fact.unusable, event },
  });
  await applyToStripeSale(ctx, merchantId, [fact.externalId]);
  return result;
};

/**
 * The first invoice gets the evidence as its own, and the customer is attributed for all that follows. In two transactions: the
 * evidence may lead to one affiliate at the time of the invoice and to another one at the time of the sign-up.
 */
const applySignUp = async (
  ctx: Context,
  source: StripeSource,
  fact: StripeSignUp,
  event: UnusableParts['event'],
): Promise<StripeResult> => {
  assertNotInFuture(ctx, fact.occurredAt);
  const found = await findStripeProgram(ctx, source, fact.evidence.programId);
  if (!found) return 'ignored';
  const { program, isKnown } = found;
  if (!isKnown) return { outcome: 'unattributed', conversionId: null };
  const evidence = { ...(await toEvidence(ctx, program, fact.evidence, fact.attributedAt)), attributedAt: fact.attributedAt };
  const unusable = { members: fact.unusable, event };
  const identification = { programId: program.id, unusable, ...toIdentification(ctx.cipher, fact, evidence) };
  if (fact.invoiceId === null) return identifyCustomer(ctx, identification);
  const sale = { programId: program.id, provider: 'stripe' as const, externalId: fact.invoiceId };
  const added = await addEvidence(ctx, { sale, evidence });
  const identified = await identifyCustomer(ctx, identification);
  return added.conversionId === null ? identified : { outcome: identified.outcome, conversionId: added.conversionId };
};

const applyPromotionCode = async (ctx: Context, source: StripeSource, fact: StripePromotionCode): Promise<StripeResult> => {
  const merchantIds = await findStripeMerchants(ctx, source);
  if (merchantIds.length === 0) return 'ignored';
  const stored = await storePromotionCode(ctx, merchantIds, fact);
  return { outcome: stored > 0 ? 'recorded' : 'duplicate', conversionId: null };
};

const WAITING: SaleResult = { outcome: 'waiting', conversionId: null };

const applyPaymentFact = async (
  ctx: Context,
  source: StripeSource,
  fact: PaymentFact,
  eventId: string,
): Promise<StripeResult> => {
  const results: StripeEventResult[] = [];
  for (const merchantId of await findStripeMerchants(ctx, source)) {
    results.push(await inTransaction(ctx, (ctx) => applyForMerchant(ctx, merchantId, fact, eventId)));
  }
  return results.find(({ outcome }) => outcome !== 'waiting') ?? results[0] ?? 'ignored';
};

const applyForMerchant = async (
  ctx: Context,
  merchantId: string,
  fact: PaymentFact,
  eventId: string,
): Promise<StripeEventResult> => {
  await lockStripeObject(ctx, merchantId, fact.paymentId);
  if (fact.kind === 'refund') await storeRefund(ctx, merchantId, { refund: fact, eventId });
  if (fact.kind === 'dispute') await storeDispute(ctx, merchantId, fact);
  const invoiceId = fact.kind === 'invoice_payment' ? fact.invoiceId : await findInvoice(ctx, merchantId, fact.paymentId);
  if (invoiceId !== null) await lockStripeObject(ctx, merchantId, invoiceId);
  if (fact.kind === 'invoice_payment') await storeInvoice(ctx, merchantId, fact);
  const ids = invoiceId === null ? [fact.paymentId] : [fact.paymentId, invoiceId];
  return (await applyToStripeSale(ctx, merchantId, ids)) ?? WAITING;
};
