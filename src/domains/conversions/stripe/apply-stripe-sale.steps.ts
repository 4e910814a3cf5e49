import { type Context, inTransaction } from '../../../platform/context.ts';
import { invariant } from '../../../platform/errors.ts';
import { joinStripeEndpoints } from '../../programs/index.ts';
import type { SaleResult } from '../record/sale-events.wire.ts';
import { type EventName, storeSaleProblem } from '../record/sale-problem.steps.ts';
import { recordSale } from '../use-cases/record-sale.ts';
import { applyToStripeSale } from './apply-to-stripe-sale.steps.ts';
import { isUnclear, type ProgramClues } from './choose-program.steps.ts';
import { settleSalesOf, settleStripeSale } from './settle-stripe-sale.steps.ts';
import { findStripeSale, lockStripeObject, storeInvoice } from './stripe.queries.ts';
import type { StripeResult } from './stripe-event.rules.ts';
import { mergeEvidence, type StoredStripeEvidence, type StripeEvidence } from './stripe-evidence.rules.ts';
import type { StripeSale } from './stripe-fact.rules.ts';
import { findStripeHint, storeStripeHint } from './stripe-hints.queries.ts';
import { chooseOwnProgram, findStripeScope, receiversOf, type StripeScope, type StripeSource } from './stripe-scope.steps.ts';
import { toEvidence } from './to-evidence.steps.ts';
import { payerOf, toNewSale } from './to-new-sale.rules.ts';

/** Records a payment in the program that it belongs to. A repeat may tell the program of one that was not certain. */
export const applyStripeSale = async (
  ctx: Context,
  source: StripeSource,
  fact: StripeSale,
  event: EventName,
): Promise<StripeResult> => {
  const { evidence, subscriptionId, externalId: externalSaleId, occurredAt: at } = fact;
  const {
    customerId,
    customerEmailDigest: emailDigest,
    customerCanonicalDigest: mailbox,
  } = payerOf(ctx.cipher, fact.customer, fact.externalId);
  const clues = { evidence, subscriptionId, externalSaleId, at, customerId, mailbox, receivedFor: new Set<string>() };
  const scope = await findStripeScope(ctx, source, clues);
  if (!scope) return 'ignored';
  const payment: Payment = { scope, fact, event, customerId, clues: { ...clues, receivedFor: new Set(receiversOf(scope)) } };
  const result = await inTransaction(ctx, (ctx) => recordPayment(ctx, payment));
  // It may have attributed its customer. A repeat does what an interrupted call left.
  if (result.outcome !== 'unattributed') await settleSalesOf(ctx, scope, { customerId, emailDigest }, event);
  return result;
};

interface Payment {
  scope: StripeScope;
  fact: StripeSale;
  event: EventName;
  customerId: string;
  clues: ProgramClues;
}

const recordPayment = async (ctx: Context, payment: Payment): Promise<SaleResult> => {
  const { fact, customerId } = payment;
  const { merchantId } = payment.scope;
  const { paymentId, externalId } = fact;
  if (paymentId) await lockStripeObject(ctx, merchantId, paymentId);
  await lockStripeObject(ctx, merchantId, externalId);
  await lockStripeObject(ctx, merchantId, customerId);
  // As a guest, and as a customer: the program is that of either.
  if (payment.clues.mailbox) await lockStripeObject(ctx, merchantId, payment.clues.mailbox);
  if (paymentId) await storeInvoice(ctx, merchantId, { kind: 'invoice_payment', paymentId, invoiceId: externalId });
  const stored = await findStripeSale(ctx, merchantId, [externalId]);
  const result = stored ? await repeat(ctx, payment, stored.programId) : await recordNew(ctx, payment);
  await applyToStripeSale(ctx, merchantId, [externalId]);
  return result;
};

/** A repeat is of the program that has the sale, although programs may have come and gone since. */
const repeat = async (ctx: Context, payment: Payment, programId: string): Promise<SaleResult> => {
  const { scope, fact, event } = payment;
  const sale = toNewSale(ctx.cipher, programId, fact);
  const duplicate = await recordSale(ctx, { sale, evidence: {}, otherCurrency: 'record' });
  return (await receiveAgain(ctx, { scope, externalId: fact.externalId, evidence: fact.evidence, event })) ?? duplicate;
};

export interface ReceivedAgain {
  scope: StripeScope;
  externalId: string;
  evidence: StripeEvidence;
  event: EventName;
}

/** A recorded payment was received again, perhaps at another endpoint. Null: nothing changes. The caller holds its lock. */
export const receiveAgain = async (
  ctx: Context,
  { scope, externalId, evidence, event }: ReceivedAgain,
): Promise<SaleResult | null> => {
  const { merchantId, endpointOf } = scope;
  const hint = await findStripeHint(ctx, merchantId, externalId);
  if (!hint?.receivedFor) return null;
  const receivedFor = [...new Set([...hint.receivedFor, ...receiversOf(scope)])];
  await storeStripeHint(ctx, merchantId, externalId, { evidence: mergeEvidence(evidence, hint.evidence), receivedFor });
  if (endpointOf !== null && !hint.receivedFor.includes(endpointOf)) await joinStripeEndpoints(ctx, receivedFor);
  return settleStripeSale(ctx, scope, externalId, event);
};

const recordNew = async (ctx: Context, payment: Payment): Promise<SaleResult> => {
  const { scope, fact, event, clues } = payment;
  const { merchantId } = scope;
  const { externalId } = fact;
  const hint = await findStripeHint(ctx, merchantId, externalId);
  const evidence: StoredStripeEvidence = hint ? mergeEvidence(fact.evidence, hint.evidence) : fact.evidence;
  const known = { evidence, receivedFor: [...clues.receivedFor] };
  const choice = await chooseOwnProgram(ctx, scope, { ...clues, evidence });
  invariant(choice, 'a program receives the event');
  const { program } = choice;
  const result = await recordSale(ctx, {
    sale: toNewSale(ctx.cipher, program.id, fact),
    evidence: await toEvidence(ctx, program, evidence, fact.occurredAt),
    otherCurrency: 'record',
    unattributed: isUnclear(choice) ? 'PROGRAM_UNKNOWN' : null,
    unusable: { members: fact.unusable, event },
  });
  if (choice.by !== 'evidence') await storeStripeHint(ctx, merchantId, externalId, known);
  // What its coupons are may be told later.
  else if (result.reason === 'NO_MATCH' && evidence.couponCodes.length > 0)
    await storeStripeHint(ctx, merchantId, externalId, { ...known, receivedFor: null });
  if (isUnclear(choice)) await reportUnclear(ctx, payment, program.id);
  return result;
};

/** A person has to say who is credited. */
const reportUnclear = async (ctx: Context, { scope, fact, event }: Payment, programId: string): Promise<void> => {
  const { merchantId } = scope;
  const { externalId: objectId } = fact;
  const sale = await findStripeSale(ctx, merchantId, [objectId]);
  invariant(sale?.programId === programId, 'the sale was recorded');
  const problem = { ...event, objectId, saleId: sale.id, reason: 'PROGRAM_UNKNOWN' as const };
  await storeSaleProblem(ctx, merchantId, problem);
};
