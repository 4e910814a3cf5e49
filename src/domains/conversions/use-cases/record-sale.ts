import { after, DAY_MS } from '../../../platform/clock.ts';
import { type Context, emit, inTransaction } from '../../../platform/context.ts';
import { conflict, invalidField } from '../../../platform/errors.ts';
import { recordSaleCredit } from '../../affiliates/index.ts';
import { lockBalance, postTransfer } from '../../ledger/index.ts';
import type { ProgramRecord } from '../../programs/index.ts';
import { attribute, type Claim } from '../attribution.ts';
import { commissionOf } from '../commission.ts';
import { Conversion } from '../conversion.entity.ts';
import { toConversionEvent } from '../conversions.wire.ts';
import { Sale } from '../sale.entity.ts';
import type { NewSale } from '../sale-input.ts';
import type { SaleResult } from '../sale-result.ts';
import { findSale, historyOf, lockCustomer, lockSale, referrerOf, shareProgram } from '../sales.queries.ts';
import { applyWaitingRefunds } from './apply-refund.ts';
import { approveConversion } from './approve-conversion.ts';

export interface RecordSaleInput {
  program: ProgramRecord;
  sale: NewSale;
  couponCode?: string | undefined;
  clickToken?: string | undefined;
  referralCode?: string | undefined;
}

/** Records a payment once, credits whoever brought it, and books the commission. A repeat changes nothing. */
export const recordSale = (ctx: Context, input: RecordSaleInput): Promise<SaleResult> =>
  inTransaction(ctx, async (ctx) => {
    await lockSale(ctx, input.sale);
    const known = await findSale(ctx, input.sale);
    if (known) return repeated(ctx, known, input);
    // Read again under a lock: the currency may not change between this check and the sale.
    const program = await shareProgram(ctx, input.program.id);
    if (input.sale.currency !== program.currency)
      throw invalidField('data.currency', `this program counts in ${program.currency}`);
    await lockCustomer(ctx, input.sale);
    const credit = program.status === 'active' ? await creditOf(ctx, input) : null;
    const sale = await insertSale(ctx, input.sale, credit);
    const conversion = credit ? await convert(ctx, input.program, sale, credit) : null;
    await applyWaitingRefunds(ctx, sale, conversion);
    return conversion ? { outcome: 'recorded', conversionId: conversion.id } : { outcome: 'unattributed', conversionId: null };
  });

const repeated = (ctx: Context, known: Awaited<ReturnType<typeof findSale>> & object, input: RecordSaleInput): SaleResult => {
  if (known.payloadHash === input.sale.payloadHash) return { outcome: 'duplicate', conversionId: known.conversionId };
  ctx.log.warn({ saleId: known.id, programId: input.program.id }, 'a sale was sent again with other facts');
  throw conflict('PAYLOAD_MISMATCH', 'This sale was recorded with other facts', { saleId: input.sale.externalId });
};

const creditOf = async (ctx: Context, input: RecordSaleInput): Promise<Claim | null> => {
  const direct = await referrerOf(ctx, input.program.id, input.referralCode);
  const history = await historyOf(ctx, input.sale);
  return attribute(input.program, direct, history, input.sale.occurredAt);
};

const convert = async (ctx: Context, program: ProgramRecord, sale: Sale, credit: Claim): Promise<Conversion> => {
  const now = ctx.clock.now();
  await lockBalance(ctx, credit.affiliateId);
  const commission = commissionOf({ amount: sale.amount, refunded: 0, percent: program.commissionPercent });
  const conversion = ctx.em.create(Conversion, {
    id: ctx.ids.next(),
    saleId: sale.id,
    merchantId: program.merchantId,
    programId: program.id,
    affiliateId: credit.affiliateId,
    amount: sale.amount,
    refunded: 0,
    commission,
    adjusted: 0,
    commissionPercent: program.commissionPercent,
    currency: sale.currency,
    status: 'pending',
    method: credit.method,
    stripeSessionId: null,
    // No fraud rule holds anything back: a conversion counts as screened when it is made.
    screenedAt: now,
    releaseAt: after(now, program.commissionHoldDays * DAY_MS),
    approvedAt: null,
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
    affiliateId: credit.affiliateId,
    referenceId: conversion.id,
  });
  if (conversion.isDue(now)) await approveConversion(ctx, conversion);
  await recordSaleCredit(ctx, { affiliateId: credit.affiliateId, conversions: 1, revenue: sale.amount, earnings: commission });
  await ctx.em.flush();
  await emit(ctx, {
    type: 'conversion.created',
    merchantId: program.merchantId,
    programId: program.id,
    data: toConversionEvent(conversion),
  });
  return conversion;
};

const insertSale = async (ctx: Context, sale: NewSale, credit: Claim | null): Promise<Sale> => {
  const row = ctx.em.create(Sale, {
    ...sale,
    id: ctx.ids.next(),
    refunded: 0,
    affiliateId: credit?.affiliateId ?? null,
    method: credit?.method ?? null,
    createdAt: ctx.clock.now(),
  });
  await ctx.em.flush();
  return row;
};
