import { type Context, inTransaction } from '../../../platform/context.ts';
import type { StripeProgram } from '../../programs/index.ts';
import { emailFields } from '../record/customer.rules.ts';
import type { SaleResult } from '../record/sale-events.wire.ts';
import { assertNotInFuture } from '../record/sale-input.steps.ts';
import { type EventName, storeSaleProblem } from '../record/sale-problem.steps.ts';
import { reportUnusable, type UnusableParts } from '../record/unusable-parts.steps.ts';
import { addEvidence } from '../use-cases/add-evidence.ts';
import { identifyCustomer } from '../use-cases/identify-customer.ts';
import { isUnclear } from './choose-program.steps.ts';
import { settleSalesOf, settleStripeSale } from './settle-stripe-sale.steps.ts';
import { findStripeSale, lockStripeObject } from './stripe.queries.ts';
import type { StripeEventResult, StripeResult } from './stripe-event.rules.ts';
import { mergeEvidence, type StoredStripeEvidence } from './stripe-evidence.rules.ts';
import type { StripeSignUp } from './stripe-fact.rules.ts';
import { findStripeHint, storeStripeHint } from './stripe-hints.queries.ts';
import { chooseOwnProgram, findStripeScope, type StripeScope, type StripeSource } from './stripe-scope.steps.ts';
import { toEvidence } from './to-evidence.steps.ts';
import { toIdentification } from './to-new-sale.rules.ts';

interface SignUp {
  scope: StripeScope;
  fact: StripeSignUp;
  event: EventName;
}

/**
 * The first invoice gets the evidence as its own, and the customer is attributed for all that follows. In several transactions: the
 * evidence may lead to one affiliate at the time of the invoice and to another one at the time of the sign-up.
 */
export const applyStripeSignUp = async (
  ctx: Context,
  source: StripeSource,
  fact: StripeSignUp,
  event: EventName,
): Promise<StripeResult> => {
  assertNotInFuture(ctx, fact.occurredAt);
  const { evidence, attributedAt: at } = fact;
  // An endpoint decides on sales only: what it decides is taken back when another one receives the same, and an attribution cannot be.
  const clues = { evidence, customerId: null, subscriptionId: null, externalSaleId: null, at, receivedFor: new Set<string>() };
  const scope = await findStripeScope(ctx, source, clues);
  const choice = scope && (await chooseOwnProgram(ctx, scope, clues));
  if (!choice) return 'ignored';
  const signUp: SignUp = { scope, fact, event };
  const { settled, reported } = await inTransaction(ctx, async (ctx) => ({
    settled: await tellInvoice(ctx, signUp),
    reported: await reportUnusable(ctx, scope.merchantId, partsOf(signUp)),
  }));
  if (!isUnclear(choice) && choice.by !== 'none') return attributeCustomer(ctx, signUp, choice.program);
  if (settled || choice.by === 'none') return { ...(settled ?? UNATTRIBUTED), ...reported };
  return { ...(await inTransaction(ctx, (ctx) => reportUnclear(ctx, signUp))), ...reported };
};

const partsOf = ({ fact, event }: SignUp): UnusableParts => ({ members: fact.unusable, event });

const UNATTRIBUTED: SaleResult = { outcome: 'unattributed', conversionId: null };
const WAITING: SaleResult = { outcome: 'waiting', conversionId: null };
const NEEDS_REVIEW: StripeEventResult = { outcome: 'needs_review', conversionId: null };

/** The invoice decides on its program by this, also when it comes later. Null: nothing changes now. */
const tellInvoice = async (ctx: Context, { scope, fact, event }: SignUp): Promise<SaleResult | null> => {
  const { merchantId } = scope;
  const { invoiceId } = fact;
  if (invoiceId === null) return null;
  await lockStripeObject(ctx, merchantId, invoiceId);
  const hint = await findStripeHint(ctx, merchantId, invoiceId);
  const own: StoredStripeEvidence = { ...fact.evidence, attributedAt: fact.attributedAt.toISOString() };
  const evidence = hint ? mergeEvidence(hint.evidence, own) : own;
  await storeStripeHint(ctx, merchantId, invoiceId, { evidence, receivedFor: hint?.receivedFor ?? null });
  return settleStripeSale(ctx, scope, invoiceId, event);
};

/** Payments of a subscription repeat what it and its discounts say, and are decided on by themselves. */
const REPEATED: readonly StripeSignUp['object'][] = ['subscription', 'discount'];

/** Without an invoice, no payment names the sign-up: a person has to say who is credited for what follows. */
const reportUnclear = async (ctx: Context, { scope, fact, event }: SignUp): Promise<StripeEventResult> => {
  const { merchantId } = scope;
  const { invoiceId } = fact;
  if (invoiceId !== null) {
    const sale = await findStripeSale(ctx, merchantId, [invoiceId]);
    return sale ? { ...UNATTRIBUTED, conversionId: sale.conversionId } : WAITING;
  }
  if (REPEATED.includes(fact.object)) return WAITING;
  const { id: objectId } = fact.customer;
  // One for the customer: Stripe tells of each change of one.
  const eventId = `${fact.object}:${objectId}`;
  await storeSaleProblem(ctx, merchantId, { eventId, eventType: event.eventType, objectId, reason: 'PROGRAM_UNKNOWN' });
  return NEEDS_REVIEW;
};

const attributeCustomer = async (ctx: Context, signUp: SignUp, program: StripeProgram): Promise<SaleResult> => {
  const { scope, fact, event } = signUp;
  const { merchantId } = scope;
  const { invoiceId, customer } = fact;
  const found = await toEvidence(ctx, program, fact.evidence, fact.attributedAt);
  const evidence = { ...found, attributedAt: fact.attributedAt };
  const sale = invoiceId === null ? null : { programId: program.id, provider: 'stripe' as const, externalId: invoiceId };
  const added = sale && (await addEvidence(ctx, { sale, evidence }));
  const unusable = partsOf(signUp);
  const identification = { programId: program.id, unusable, ...toIdentification(ctx.cipher, fact, evidence) };
  const identified = await inTransaction(ctx, async (ctx) => {
    await lockStripeObject(ctx, merchantId, customer.id);
    return identifyCustomer(ctx, identification);
  });
  const { customerEmailDigest: emailDigest } = emailFields(ctx.cipher, customer.email);
  await settleSalesOf(ctx, scope, { customerId: customer.id, emailDigest }, event);
  return added?.conversionId ? { outcome: identified.outcome, conversionId: added.conversionId } : identified;
};
