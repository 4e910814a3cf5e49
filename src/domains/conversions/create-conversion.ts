import { after, DAY_MS } from '../../platform/clock.ts';
import { type Context, emit } from '../../platform/context.ts';
import { recordSaleCredit } from '../affiliates/index.ts';
import { postTransfer } from '../ledger/index.ts';
import type { ProgramRecord } from '../programs/index.ts';
import { refundConversion } from './apply-refund.ts';
import { postApproval } from './approve-conversion.ts';
import type { Attribution, Membership } from './attribution.ts';
import { commissionOf } from './commission.ts';
import { Conversion } from './conversion.entity.ts';
import { toConversionEvent } from './conversions.wire.ts';
import type { Sale } from './sale.entity.ts';

/** `commissionPercent` replaces the program's percent. */
export type Member = Membership & { commissionPercent: number | null };

export interface NewConversion {
  program: ProgramRecord;
  sale: Sale;
  match: Pick<Attribution, 'affiliateId' | 'method'>;
  member: Member;
}

/**
 * Posts the commission of a sale, less what is refunded already. The caller must hold the affiliate's membership lock and have
 * stored the sale. The transfer locks the balance: it comes late, because the sales of an affiliate wait for each other from then on.
 */
export const createConversion = async (ctx: Context, input: NewConversion): Promise<Conversion> => {
  const { sale } = input;
  const { merchantId, programId, currency } = sale;
  const conversion = buildConversion(ctx, input);
  const { affiliateId, amount, commission } = conversion;
  const isDue = conversion.isDue(ctx.clock.now());
  if (isDue) conversion.approve(ctx.clock.now());
  await emit(ctx, { type: 'conversion.created', merchantId, programId, data: toConversionEvent(conversion, sale) });
  await postTransfer(ctx, {
    kind: 'conversion',
    from: 'merchant_expense',
    to: 'pending',
    amount: commission,
    currency,
    merchantId,
    programId,
    affiliateId,
    referenceId: conversion.id,
  });
  if (isDue) await postApproval(ctx, conversion);
  await recordSaleCredit(ctx, { affiliateId, conversions: 1, revenue: amount, earnings: commission });
  // The counters of conversions are locked after the balance, as by every other transaction.
  await ctx.em.flush();
  if (sale.refunded > 0) await refundConversion(ctx, conversion, sale, sale.refunded);
  return conversion;
};

const buildConversion = (ctx: Context, { program, sale, match, member }: NewConversion): Conversion => {
  const now = ctx.clock.now();
  const commissionPercent = member.commissionPercent ?? program.commissionPercent;
  return ctx.em.create(Conversion, {
    id: ctx.ids.next(),
    saleId: sale.id,
    merchantId: sale.merchantId,
    programId: sale.programId,
    affiliateId: match.affiliateId,
    amount: sale.amount,
    commission: commissionOf({ amount: sale.amount, refunded: 0, percent: commissionPercent }),
    commissionPercent,
    currency: sale.currency,
    method: match.method,
    stripeSessionId: sale.stripeSessionId ?? null,
    // There are no fraud rules yet, so a conversion is screened when it is created.
    screenedAt: now,
    releaseAt: after(now, program.commissionHoldDays * DAY_MS),
    disputedAt: sale.disputedAt ?? null,
    createdAt: now,
    updatedAt: now,
  });
};
