import { type Context, emit, inTransaction } from '../../../platform/context.ts';
import { invariant } from '../../../platform/errors.ts';
import { lateEvidenceSince } from '../attribute/attribution.queries.ts';
import { moveSale } from '../attribute/move-sale.steps.ts';
import { attributionColumns } from '../attribute/sale-attribution.steps.ts';
import { toSaleView } from '../lists/sales.wire.ts';
import { customerIdOf } from '../record/customer.rules.ts';
import { type CustomerNames, lockCustomer } from '../record/customer-lock.queries.ts';
import type { SaleResult } from '../record/sale-events.wire.ts';
import { closeProblems, type EventName, storeSaleProblem } from '../record/sale-problem.steps.ts';
import { findConversionId, lockSale, lockSaleRow } from '../record/sales.queries.ts';
import { lockConversionOf } from '../refund/refunds.steps.ts';
import { rejectConversion } from '../refund/reject-conversion.steps.ts';
import type { Sale } from '../sale.entity.ts';
import { addEvidence } from '../use-cases/add-evidence.ts';
import { isUnclear, type ProgramChoice } from './choose-program.steps.ts';
import { listDiscountsOf } from './coupon-codes.queries.ts';
import { findStripeSale, lockStripeObject } from './stripe.queries.ts';
import {
  findStripeHint,
  findUndecidedSale,
  listSalesNaming,
  listUndecidedSales,
  makeProgramCertain,
  type StripeHint,
} from './stripe-hints.queries.ts';
import { chooseOwnProgram, type StripeScope } from './stripe-scope.steps.ts';
import { toEvidence } from './to-evidence.steps.ts';

/**
 * Decides again on a sale when something new is known: another endpoint received it, or evidence came. Null when nothing changes. The
 * caller holds the lock of the payment or invoice.
 */
export const settleStripeSale = async (
  ctx: Context,
  scope: StripeScope,
  externalId: string,
  event: EventName,
): Promise<SaleResult | null> => {
  const { merchantId } = scope;
  const hint = await findStripeHint(ctx, merchantId, externalId);
  if (!hint) return null;
  const undecided = hint.receivedFor && (await findUndecidedSale(ctx, merchantId, externalId));
  if (!undecided) return attributeByHint(ctx, { merchantId, externalId, hint });
  await lockStripeObject(ctx, merchantId, undecided.customerId);
  const choice = await chooseOwnProgram(ctx, scope, {
    evidence: hint.evidence,
    customerId: undecided.customerId,
    mailbox: undecided.customerCanonicalDigest,
    subscriptionId: undecided.subscriptionId,
    externalSaleId: externalId,
    at: undecided.occurredAt,
    receivedFor: new Set(hint.receivedFor),
  });
  invariant(choice, 'the program of the sale is among them');
  const sale = await lockInBoth(ctx, { ...undecided, externalId }, choice.program.id);
  if (sale.affiliateId) return isUnclear(choice) ? withdraw(ctx, sale, event) : null;
  if (sale.matchedAffiliateId || (await findConversionId(ctx, sale.id))) return null;
  if (sale.createdAt < lateEvidenceSince(ctx)) return null;
  if (choice.by === 'evidence') await makeProgramCertain(ctx, sale);
  return isUnclear(choice) ? markUnclear(ctx, sale, choice, event) : assign(ctx, sale, choice, hint);
};

/** A sale whose program is certain. */
const attributeByHint = async (
  ctx: Context,
  { merchantId, externalId, hint }: { merchantId: string; externalId: string; hint: StripeHint },
): Promise<SaleResult | null> => {
  const sale = await findStripeSale(ctx, merchantId, [externalId]);
  if (!sale || sale.conversionId !== null) return null;
  const { programId, occurredAt } = sale;
  const evidence = await toEvidence(ctx, { id: programId, merchantId }, hint.evidence, new Date(occurredAt));
  const result = await addEvidence(ctx, { sale: { programId, provider: 'stripe', externalId }, evidence });
  return result.outcome === 'recorded' ? result : null;
};

/** The locks of a sale and its customer in the program that it is in, and in the one that it may move to; then its row. */
const lockInBoth = async (
  ctx: Context,
  { programId, customerId, customerCanonicalDigest, externalId }: CustomerNames & { externalId: string },
  otherId: string,
): Promise<Sale> => {
  const reference = { provider: 'stripe' as const, externalId };
  for (const id of new Set([programId, otherId])) {
    await lockSale(ctx, { ...reference, programId: id });
    await lockCustomer(ctx, { programId: id, customerId, customerCanonicalDigest });
  }
  const sale = await lockSaleRow(ctx, { ...reference, programId });
  invariant(sale, 'the sale moves only under the lock of its payment');
  return sale;
};

/** Another endpoint received the payment too: that the first one did says nothing. What was approved stays. */
const withdraw = async (ctx: Context, sale: Sale, event: EventName): Promise<SaleResult | null> => {
  const conversion = await lockConversionOf(ctx, sale);
  const isOpen = conversion?.status === 'pending' || conversion?.status === 'partially_refunded';
  if (!conversion || !isOpen || conversion.approvedAt !== null) return null;
  await rejectConversion(ctx, conversion, sale, 'PROGRAM_UNKNOWN');
  return announceUnclear(ctx, sale, event, 'It was credited before another endpoint received it: grant an adjustment');
};

const markUnclear = async (
  ctx: Context,
  sale: Sale,
  { program }: ProgramChoice,
  event: EventName,
): Promise<SaleResult | null> => {
  await moveSale(ctx, sale, program.id);
  return sale.reason === 'PROGRAM_UNKNOWN' ? null : announceUnclear(ctx, sale, event);
};

/** A person has to say who is credited. */
const announceUnclear = async (ctx: Context, sale: Sale, event: EventName, detail?: string): Promise<SaleResult> => {
  const reason = 'PROGRAM_UNKNOWN';
  Object.assign(sale, attributionColumns({ match: null, reason }));
  const { id: saleId, merchantId, programId, externalId: objectId } = sale;
  const conversionId = await findConversionId(ctx, saleId);
  await emit(ctx, { type: 'sale.unattributed', merchantId, programId, data: toSaleView(sale, conversionId) });
  await storeSaleProblem(ctx, merchantId, { ...event, objectId, saleId, reason, ...(detail === undefined ? {} : { detail }) });
  return { outcome: 'unattributed', conversionId: null, reason };
};

/** The sale is one of the program's: what leads to an affiliate there attributes it. */
const assign = async (ctx: Context, sale: Sale, { program, by }: ProgramChoice, hint: StripeHint): Promise<SaleResult | null> => {
  const { id, provider, externalId, currency } = sale;
  if (sale.programId !== program.id || sale.reason === 'PROGRAM_UNKNOWN') {
    await moveSale(ctx, sale, program.id);
    if (currency !== program.currency) sale.reason = 'OTHER_CURRENCY';
    else sale.reason = program.status === 'active' ? 'NO_MATCH' : 'PROGRAM_INACTIVE';
    await closeProblems(ctx, { saleId: id }, 'Its program became known');
  }
  if (by === 'none') return null;
  const reference = { programId: program.id, provider, externalId };
  const evidence = await toEvidence(ctx, program, hint.evidence, sale.occurredAt);
  const result = await addEvidence(ctx, { sale: reference, evidence });
  return result.outcome === 'recorded' ? result : null;
};

/**
 * Decides again on the sales of a customer, and of a guest with the same address, that nothing told the program of: new evidence may. In
 * one transaction for each, as each locks balances of its own.
 */
export const settleSalesOf = async (
  ctx: Context,
  scope: StripeScope,
  { customerId, emailDigest }: { customerId: string; emailDigest: string | null },
  event: EventName,
): Promise<void> => {
  const { merchantId } = scope;
  const programIds = scope.programs.flatMap((program) => (program.merchantId === merchantId ? [program.id] : []));
  if (programIds.length === 1) return;
  const customerIds = [customerId, customerIdOf(null, emailDigest)].filter((id) => id !== null);
  await settleEach(ctx, scope, await listUndecidedSales(ctx, { merchantId, programIds, customerIds }), event);
};

/** As `settleSalesOf`: the sales of the last day that name a discount or a promotion code, of which more is known now. */
export const settleSalesNaming = async (ctx: Context, scope: StripeScope, id: string, event: EventName): Promise<void> => {
  const { merchantId } = scope;
  const ids = [id, ...(await listDiscountsOf(ctx, merchantId, id))];
  await settleEach(ctx, scope, await listSalesNaming(ctx, merchantId, ids), event);
};

const settleEach = async (ctx: Context, scope: StripeScope, externalIds: readonly string[], event: EventName): Promise<void> => {
  for (const externalId of externalIds)
    await inTransaction(ctx, async (ctx) => {
      await lockStripeObject(ctx, scope.merchantId, externalId);
      await settleStripeSale(ctx, scope, externalId, { ...event, eventId: `${event.eventId}:${externalId}` });
    });
};
