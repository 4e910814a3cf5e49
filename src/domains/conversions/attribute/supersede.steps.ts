import { LockMode } from '@mikro-orm/core';
import type { ConversionStatus, RejectionReason, UnattributedReason } from '../../../contracts/conversions.ts';
import type { Context } from '../../../platform/context.ts';
import { Conversion } from '../conversion.entity.ts';
import { rejectConversion } from '../refund/reject-conversion.steps.ts';
import { Sale } from '../sale.entity.ts';
import type { SupersededSale } from './attribution.queries.ts';

export interface CreditedSale extends SupersededSale {
  status: ConversionStatus;
  /** Null: the commission may still be taken back. */
  approvedAt: Date | null;
}

/** Conversions that are not rejected, locked: they may have been approved before their balance was. */
export const lockConversions = async (ctx: Context, ids: readonly string[]): Promise<Conversion[]> => {
  if (ids.length === 0) return [];
  const found = await ctx.em.find(
    Conversion,
    { id: { $in: [...ids] } },
    { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true, orderBy: { id: 'asc' } },
  );
  return found.filter(({ status }) => status !== 'rejected');
};

/** Takes commissions back that are not due beside an earlier payment, unless they are approved. */
export const rejectSuperseded = async (
  ctx: Context,
  superseded: readonly Conversion[],
  reason: RejectionReason & UnattributedReason,
): Promise<void> => {
  for (const conversion of superseded) {
    if (conversion.approvedAt !== null) continue;
    const sale = await ctx.em.findOneOrFail(Sale, { id: conversion.saleId });
    sale.reason = reason;
    await rejectConversion(ctx, conversion, sale, reason);
  }
};
