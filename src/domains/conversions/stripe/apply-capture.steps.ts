import { type Context, inTransaction } from '../../../platform/context.ts';
import { shareOf } from '../../../platform/money.ts';
import { closeProblems, type EventName, storeSaleProblem } from '../record/sale-problem.steps.ts';
import { applyStripeSale, receiveAgain } from './apply-stripe-sale.steps.ts';
import { findCapture, findSession, forgetSession, storeCapture, storeSession } from './captures.queries.ts';
import { findInvoice, findStripeSale, lockStripeObject } from './stripe.queries.ts';
import type { StripeEventResult, StripeResult } from './stripe-event.rules.ts';
import type { StripeEvidence } from './stripe-evidence.rules.ts';
import type { StripeCapture, StripeSale, StripeSession } from './stripe-fact.rules.ts';
import { findStripeScope, listStripeScopes, type StripeScope, type StripeSource } from './stripe-scope.steps.ts';
import { payerOf } from './to-new-sale.rules.ts';

/** What was captured of a session. The customer bought when the session was completed, which is when clicks and coupons count. */
const capturedSale = (sale: StripeSale, capturedGross: number): StripeSale => {
  const chargedGross = Math.min(capturedGross, sale.chargedGross);
  return { ...sale, amount: shareOf(sale.amount, chargedGross, sale.chargedGross), chargedGross };
};

/** Nothing is sold before the payment is captured, which may have been reported first. */
export const applySession = async (
  ctx: Context,
  source: StripeSource,
  { sale }: StripeSession,
  event: EventName,
): Promise<StripeResult> => {
  const { evidence, externalId, occurredAt: at } = sale;
  const payer = payerOf(ctx.cipher, sale.customer, externalId);
  const clues = { evidence, at, customerId: payer.customerId, subscriptionId: null, externalSaleId: externalId };
  const scope = await findStripeScope(ctx, source, { ...clues, receivedFor: new Set() });
  if (!scope) return 'ignored';
  const { merchantId } = scope;
  const captured = await inTransaction(ctx, async (ctx) => {
    await lockStripeObject(ctx, merchantId, externalId);
    // A repeat brings back nothing of what was forgotten.
    if (await findStripeSale(ctx, merchantId, [externalId])) return null;
    await storeSession(ctx, merchantId, { ...sale, customer: payer });
    return findCapture(ctx, merchantId, externalId);
  });
  return captured === null ? 'ignored' : record(ctx, source, { merchantId, sale: capturedSale(sale, captured), event });
};

/** A capture of a known session is its sale, any other one is for a person: nothing says who the customer is. */
export const applyCapture = async (
  ctx: Context,
  source: StripeSource,
  fact: StripeCapture,
  event: EventName,
): Promise<StripeResult> => {
  const scopes = await listStripeScopes(ctx, source);
  const [first] = scopes;
  if (!first || fact.capturedGross === 0) return 'ignored';
  for (const scope of scopes) {
    const found = await inTransaction(ctx, (ctx) => findCaptured(ctx, scope, fact, event));
    if (found === null) continue;
    const { merchantId } = scope;
    return 'kind' in found ? record(ctx, source, { merchantId, sale: capturedSale(found, fact.capturedGross), event }) : found;
  }
  return inTransaction(ctx, (ctx) => reportUnknown(ctx, first, fact, event));
};

/** The sale to record, or what became of one that is recorded. Null: the merchant has no session of the payment. */
const findCaptured = async (
  ctx: Context,
  scope: StripeScope,
  { paymentId: externalId, capturedGross, releasedGross }: StripeCapture,
  event: EventName,
): Promise<StripeSale | StripeEventResult | null> => {
  const { merchantId } = scope;
  await lockStripeObject(ctx, merchantId, externalId);
  const invoiceId = await findInvoice(ctx, merchantId, externalId);
  const stored = await findStripeSale(ctx, merchantId, invoiceId === null ? [externalId] : [externalId, invoiceId]);
  if (stored) {
    const settled = await receiveAgain(ctx, { scope, externalId: stored.externalId, evidence: NO_EVIDENCE, event });
    return settled ?? { outcome: 'duplicate', conversionId: stored.conversionId };
  }
  await storeCapture(ctx, merchantId, { externalId, capturedGross, releasedGross });
  return findSession(ctx, merchantId, externalId);
};

const NO_EVIDENCE: StripeEvidence = { programId: null, couponCodes: [] };

/** Once for the payment: Stripe tells of its charge and of its intent. */
const reportUnknown = async (
  ctx: Context,
  { merchantId }: StripeScope,
  { paymentId: objectId }: StripeCapture,
  event: EventName,
): Promise<StripeEventResult> => {
  const detail = 'No Checkout Session of the payment was received';
  const problem = {
    eventId: `capture:${objectId}`,
    eventType: event.eventType,
    objectId,
    reason: 'NOT_RECORDED' as const,
    detail,
  };
  await storeSaleProblem(ctx, merchantId, problem);
  return { outcome: 'needs_review', conversionId: null, detail };
};

interface ToRecord {
  merchantId: string;
  sale: StripeSale;
  event: EventName;
}

const record = async (ctx: Context, source: StripeSource, { merchantId, sale, event }: ToRecord): Promise<StripeResult> => {
  const result = await applyStripeSale(ctx, source, sale, event);
  await inTransaction(ctx, async (ctx) => {
    await lockStripeObject(ctx, merchantId, sale.externalId);
    await forgetSession(ctx, merchantId, sale.externalId);
    await closeProblems(ctx, { merchantId, eventId: `capture:${sale.externalId}` }, 'Its Checkout Session was received');
  });
  return result;
};
