import { after, DAY_MS } from '../../../platform/clock.ts';
import { type Context, emit, inTransaction } from '../../../platform/context.ts';
import { conflict, invalidField } from '../../../platform/errors.ts';
import { recordSaleCredit } from '../../affiliates/index.ts';
import { lockBalance, postTransfer } from '../../ledger/index.ts';
import type { ProgramRecord } from '../../programs/index.ts';
import { applyWaitingRefunds } from '../apply-refund.ts';
import { approveConversion } from '../approve-conversion.ts';
import { type Attribution, attributeSale } from '../attribution.ts';
import { commissionOf } from '../commission.ts';
import { Conversion } from '../conversion.entity.ts';
import { toConversionEvent } from '../conversions.wire.ts';
import { Sale } from '../sale.entity.ts';
import type { NewSale } from '../sale-input.ts';
import type { SaleResult } from '../sale-result.ts';
import { findReferral, findSale, getCustomerHistory, lockCustomer, lockProgramShared, lockSale } from '../sales.queries.ts';

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
    await lockSale(ctx, input.sale);
    const existing = await findSale(ctx, input.sale);
    if (existing) return duplicateResult(ctx, existing, input);
    // Read again under a lock: the currency must not change between this check and the commit.
    const program = await lockProgramShared(ctx, input.program.id);
    if (input.sale.currency !== program.currency)
      throw invalidField('data.currency', `must be ${program.currency}, the program's currency`);
    await lockCustomer(ctx, input.sale);
    const attribution = program.status === 'active' ? await findAttribution(ctx, input) : null;
    const sale = await insertSale(ctx, input.sale, attribution);
    const conversion = attribution ? await createConversion(ctx, input.program, sale, attribution) : null;
    await applyWaitingRefunds(ctx, sale, conversion);
    return conversion ? { outcome: 'recorded', conversionId: conversion.id } : { outcome: 'unattributed', conversionId: null };
  });

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

const findAttribution = async (ctx: Context, input: RecordSaleInput): Promise<Attribution | null> => {
  const referral = await findReferral(ctx, input.program.id, input.referralCode);
  const history = await getCustomerHistory(ctx, input.sale);
  return attributeSale(input.program, referral, history, input.sale.occurredAt);
};

const createConversion = async (
  ctx: Context,
  program: ProgramRecord,
  sale: Sale,
  attribution: Attribution,
): Promise<Conversion> => {
  const now = ctx.clock.now();
  await lockBalance(ctx, attribution.affiliateId);
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

const insertSale = async (ctx: Context, sale: NewSale, attribution: Attribution | null): Promise<Sale> => {
  const row = ctx.em.create(Sale, {
    ...sale,
    id: ctx.ids.next(),
    affiliateId: attribution?.affiliateId ?? null,
    method: attribution?.method ?? null,
    createdAt: ctx.clock.now(),
  });
  await ctx.em.flush();
  return row;
};
