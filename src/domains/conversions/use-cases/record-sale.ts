import { after, DAY_MS, MINUTE_MS } from '../../../platform/clock.ts';
import { type Context, emit, inTransaction } from '../../../platform/context.ts';
import { conflict, invalidField } from '../../../platform/errors.ts';
import { recordSaleCredit } from '../../affiliates/index.ts';
import { postTransfer } from '../../ledger/index.ts';
import { lockProgramShared, type ProgramRecord } from '../../programs/index.ts';
import { applyWaitingRefunds } from '../apply-refund.ts';
import { approveConversion } from '../approve-conversion.ts';
import { attributeSale, type SaleAttribution } from '../attribute-sale.ts';
import type { Attribution } from '../attribution.ts';
import { commissionOf } from '../commission.ts';
import { Conversion } from '../conversion.entity.ts';
import { toConversionEvent } from '../conversions.wire.ts';
import { rejectConversion } from '../reject-conversion.ts';
import { Sale } from '../sale.entity.ts';
import type { NewSale } from '../sale-input.ts';
import type { SaleResult } from '../sale-result.ts';
import { findSale, lockCustomer, lockSale } from '../sales.queries.ts';

export interface RecordSaleInput {
  program: ProgramRecord;
  sale: NewSale;
  couponCode?: string | undefined;
  clickToken?: string | undefined;
  referralCode?: string | undefined;
}

/** Records a sale, attributes it and posts the commission. A duplicate changes nothing. */
export const recordSale = (ctx: Context, input: RecordSaleInput): Promise<SaleResult> =>
  inTransaction(ctx, async (ctx) => {
    assertNotInFuture(ctx, input.sale);
    await lockSale(ctx, input.sale);
    const existing = await findSale(ctx, input.sale);
    if (existing) return duplicateResult(ctx, existing, input);
    // Read again under a lock: neither the currency nor the terms may change between here and the commit.
    const program = await lockProgramShared(ctx, input.program.id);
    if (input.sale.currency !== program.currency)
      throw invalidField('data.currency', `must be ${program.currency}, the program's currency`);
    await lockCustomer(ctx, input.sale);
    const attribution = await attributeSale(ctx, { ...input, program });
    if (attribution.replaced) await replaceConversion(ctx, attribution.replaced);
    const credited = attribution.reason === null ? attribution.match : null;
    const sale = await insertSale(ctx, input.sale, attribution);
    const terms = { ...program, commissionPercent: attribution.commissionPercent ?? program.commissionPercent };
    const conversion = credited ? await createConversion(ctx, terms, sale, credited) : null;
    await applyWaitingRefunds(ctx, sale, conversion);
    return conversion ? { outcome: 'recorded', conversionId: conversion.id } : { outcome: 'unattributed', conversionId: null };
  });

const CLOCK_TOLERANCE_MS = 5 * MINUTE_MS;

const assertNotInFuture = (ctx: Context, { occurredAt }: NewSale): void => {
  if (occurredAt > after(ctx.clock.now(), CLOCK_TOLERANCE_MS))
    throw invalidField('data.occurredAt', 'must not be more than 5 minutes in the future');
};

const duplicateResult = (
  ctx: Context,
  existing: Awaited<ReturnType<typeof findSale>> & object,
  input: RecordSaleInput,
): SaleResult => {
  if (existing.payloadHash === input.sale.payloadHash) return { outcome: 'duplicate', conversionId: existing.conversionId };
  ctx.log.warn({ saleId: existing.id, programId: input.program.id }, 'a sale was received again with different data');
  throw conflict('PAYLOAD_MISMATCH', 'A sale with this saleId already exists with different data', {
    saleId: input.sale.externalId,
  });
};

/** A payment that occurred before the one that was credited takes its place. */
const replaceConversion = async (ctx: Context, conversion: Conversion): Promise<void> => {
  await rejectConversion(ctx, conversion, 'NOT_FIRST_PAYMENT');
  await ctx.em.nativeUpdate(Sale, { id: conversion.saleId }, { reason: 'NOT_FIRST_PAYMENT' });
};

const createConversion = async (
  ctx: Context,
  program: ProgramRecord,
  sale: Sale,
  attribution: Attribution,
): Promise<Conversion> => {
  const now = ctx.clock.now();
  const commission = commissionOf({ amount: sale.amount, refunded: 0, percent: program.commissionPercent });
  const conversion = ctx.em.create(Conversion, {
    id: ctx.ids.next(),
    saleId: sale.id,
    merchantId: program.merchantId,
    programId: program.id,
    affiliateId: attribution.affiliateId,
    amount: sale.amount,
    commission,
    commissionPercent: program.commissionPercent,
    currency: sale.currency,
    method: attribution.method,
    // There are no fraud rules yet, so a conversion is screened when it is created.
    screenedAt: now,
    releaseAt: after(now, program.commissionHoldDays * DAY_MS),
    createdAt: now,
    updatedAt: now,
  });
  await postTransfer(ctx, {
    kind: 'conversion',
    from: 'merchant_expense',
    to: 'pending',
    amount: commission,
    currency: sale.currency,
    merchantId: program.merchantId,
    programId: program.id,
    affiliateId: attribution.affiliateId,
    referenceId: conversion.id,
  });
  if (conversion.isDue(now)) await approveConversion(ctx, conversion);
  await recordSaleCredit(ctx, {
    affiliateId: attribution.affiliateId,
    conversions: 1,
    revenue: sale.amount,
    earnings: commission,
  });
  await ctx.em.flush();
  await emit(ctx, {
    type: 'conversion.created',
    merchantId: program.merchantId,
    programId: program.id,
    data: toConversionEvent(conversion),
  });
  return conversion;
};

const insertSale = async (ctx: Context, sale: NewSale, { match, reason }: SaleAttribution): Promise<Sale> => {
  const row = ctx.em.create(Sale, {
    ...sale,
    id: ctx.ids.next(),
    affiliateId: reason === null ? match?.affiliateId : null,
    method: reason === null ? match?.method : null,
    matchedAffiliateId: match?.affiliateId ?? null,
    matchedMethod: match?.method ?? null,
    reason,
    createdAt: ctx.clock.now(),
  });
  await ctx.em.flush();
  return row;
};
