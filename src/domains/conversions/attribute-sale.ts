import { LockMode } from '@mikro-orm/core';
import type { UnattributedReason } from '../../contracts/conversions.ts';
import type { Context } from '../../platform/context.ts';
import { lockMembership } from '../affiliates/index.ts';
import { lockBalance } from '../ledger/index.ts';
import type { ProgramRecord } from '../programs/index.ts';
import { findFirstConversionAfter, findReferral, getCustomerHistory } from './attribution.queries.ts';
import { type Attribution, matchOf, unattributedReason } from './attribution.ts';
import { Conversion } from './conversion.entity.ts';
import type { NewSale } from './sale-input.ts';

export interface SaleAttribution {
  /** The affiliate that the sale points to, credited or not: later payments of the customer follow it. */
  match: Attribution | null;
  /** Null when the match is credited. */
  reason: UnattributedReason | null;
  /** The commission of a later payment that was received first, in a program that pays only the first. Its row is locked. */
  replaced: Conversion | null;
  /** Percent of the match, which replaces the program's; null: the program's applies. */
  commissionPercent: number | null;
}

const unattributed = (reason: UnattributedReason, match: Attribution | null = null): SaleAttribution => ({
  match,
  reason,
  replaced: null,
  commissionPercent: null,
});

/**
 * Finds the affiliate to credit. The caller must hold the customer's lock and the program's shared lock. Locks the balance
 * and the membership of the match, so that no block comes between this decision and the commit.
 */
export const attributeSale = async (
  ctx: Context,
  input: { program: ProgramRecord; sale: NewSale; referralCode?: string | undefined },
): Promise<SaleAttribution> => {
  const { program, sale } = input;
  if (program.status !== 'active') return unattributed('PROGRAM_INACTIVE');
  const direct = await findReferral(ctx, program.id, input.referralCode);
  const history = await getCustomerHistory(ctx, sale);
  const match = matchOf(program, direct, history);
  if (!match)
    return unattributed(program.commissionType === 'one_time' && history.hasEarlierSale ? 'NOT_FIRST_PAYMENT' : 'NO_MATCH');
  const later = program.commissionType === 'one_time' ? await findFirstConversionAfter(ctx, sale) : null;
  await lockBalances(ctx, [match.affiliateId, later?.affiliateId ?? match.affiliateId]);
  const member = await lockMembership(ctx, match.affiliateId);
  const reason = unattributedReason(program, sale.occurredAt, history, member);
  // Evidence from before the affiliate joined attributes neither this sale nor later ones.
  if (reason) return unattributed(reason, reason === 'BEFORE_AFFILIATE_JOINED' ? null : match);
  const { commissionPercent } = member;
  if (!later) return { match, reason: null, replaced: null, commissionPercent };
  const replaced = await ctx.em.findOneOrFail(Conversion, { id: later.id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  return replaced.approvedAt === null
    ? { match, reason: null, replaced, commissionPercent }
    : unattributed('FIRST_PAYMENT_SETTLED', match);
};

/** In the order of their ids, so that two transactions that need the same balances cannot deadlock. */
const lockBalances = async (ctx: Context, affiliateIds: readonly string[]): Promise<void> => {
  for (const affiliateId of [...new Set(affiliateIds)].sort()) await lockBalance(ctx, affiliateId);
};
