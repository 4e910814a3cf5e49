import type { EntityData } from '@mikro-orm/core';
import { type Context, type EventListener, inTransaction, onEach } from '../../../platform/context.ts';
import { rows, sql } from '../../../platform/database/sql.ts';
import { anyOf } from '../../../platform/database/table.ts';
import { lockMembership } from '../../affiliates/index.ts';
import { type LedgerTransfer, lockBalance, postTransfers } from '../../ledger/index.ts';
import { Conversion } from '../conversion.entity.ts';
import { announceApprovals } from './announce-conversions.steps.ts';
import { findDueConversionsOf } from './due-conversions.queries.ts';
import { checkHeldBackAgain, holdBack } from './hold-back.steps.ts';
import { HELD_CONVERSION } from './holds.queries.ts';

/** Keeps the request short: the scheduled approval does the rest. */
const MAX_IN_REQUEST = 200;

/** Approves what became due while something held it, in the caller's transaction. The caller holds the membership's lock. */
export const approveDueConversions = async (ctx: Context, affiliateId: string): Promise<void> => {
  const due = await findDueConversionsOf(ctx, affiliateId, MAX_IN_REQUEST);
  if (due.length === 0) return;
  const approved = await approveForAffiliate(ctx, affiliateId, due);
  if (approved < due.length || due.length === MAX_IN_REQUEST) await checkHeldBackAgain(ctx, affiliateId);
};

/** Approves what became due while the affiliate was blocked, in the transaction that unblocks. */
export const approveOnUnblock: EventListener = onEach(async (ctx, event) => {
  if (event.type === 'affiliate.unblocked') await approveDueConversions(ctx, event.data.id);
});

/**
 * Approves those of the commissions that are due; returns their number. Nothing is approved while the affiliate is blocked. Flags
 * are raised and resolved under the lock of the balance, so that none comes between. What is due and held is held back.
 */
const approveForAffiliate = (ctx: Context, affiliateId: string, ids: readonly string[]): Promise<number> =>
  inTransaction(ctx, async (ctx) => {
    const isBlocked = (await lockMembership(ctx, affiliateId)).status === 'blocked';
    await lockBalance(ctx, affiliateId);
    const unheld = isBlocked ? [] : await lockUnheld(ctx, ids);
    const due = unheld.filter((conversion) => conversion.isDue(ctx.clock.now()));
    if (unheld.length < ids.length) await holdBack(ctx, ids, { isBlocked });
    for (const conversion of due) conversion.approve(ctx.clock.now());
    await postTransfers(ctx, due.map(approvalOf));
    await announceApprovals(ctx, due);
    return due.length;
  });

/** A template, because whole rows become entities. */
const lockUnheld = async (ctx: Context, ids: readonly string[]): Promise<Conversion[]> => {
  const locked = await rows(
    ctx.em,
    sql<EntityData<Conversion>>`select c.* from conversion c
      where c.id = ${anyOf(ids)} and not ${HELD_CONVERSION} order by c.id for update of c`,
  );
  return locked.map((row) => ctx.em.map(Conversion, row));
};

/** Makes a pending commission payable. */
const approvalOf = (conversion: Conversion): LedgerTransfer => ({
  kind: 'approval',
  from: 'pending',
  to: 'payable',
  amount: conversion.commission,
  currency: conversion.currency,
  merchantId: conversion.merchantId,
  programId: conversion.programId,
  affiliateId: conversion.affiliateId,
  referenceId: conversion.id,
});

/** As `approveForAffiliate`; null when the transaction failed. */
export const approveOrLog = async (ctx: Context, affiliateId: string, ids: readonly string[]): Promise<number | null> => {
  try {
    return await approveForAffiliate(ctx, affiliateId, ids);
  } catch (err) {
    ctx.log.error({ err, affiliateId, conversions: ids.length }, 'commissions could not be approved');
    return null;
  }
};
