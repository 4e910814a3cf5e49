import type { PayoutMethod } from '../../contracts/affiliates.ts';
import { MAX_PAYOUT_COMMISSIONS } from '../../contracts/limits.ts';
import type { LeftOutReason } from '../../contracts/payout-runs.ts';
import type { PayoutDetails } from '../../contracts/payouts.ts';
import type { Rail } from '../../contracts/rails.ts';
import type { Context } from '../../platform/context.ts';
import { rows, sql } from '../../platform/database/sql.ts';
import { anyOf } from '../../platform/database/table.ts';
import { MAX_AMOUNT_MINOR } from '../../platform/money.ts';
import { chosenMethod, findRejections, openPayoutDestination, payoutDestination } from '../affiliates/index.ts';
import { heldCommissionsOf, payableItems, payableItemsOf } from '../conversions/index.ts';
import { db } from '../tables.ts';
import { destinationHash, maskDestination } from './destination.ts';
import { amountRefusalOf, standingRefusalOf } from './payout-refusals.ts';
import { STANDING } from './payout-state.queries.ts';
import { findRailRefusal } from './rails/rails.ts';

export interface PayoutPlan {
  merchantId: string;
  /** What is payable now. */
  asOf: Date;
  programId?: string | undefined;
  /** Only those who chose it. */
  method?: PayoutMethod | undefined;
  /** Of the merchant. Also those to whom nothing is payable. */
  affiliateIds?: readonly string[] | undefined;
  /** Minor units; raises the threshold. */
  minAmount?: number | undefined;
  /** Payees at most. */
  limit: number;
}

/** What a payout would pay somebody, or why nothing. */
export interface PlannedPayee {
  affiliateId: string;
  programId: string;
  currency: string;
  /** Minor units. */
  amount: number;
  method: PayoutMethod | null;
  rail: Rail | null;
  /** Masked. */
  destination: string | null;
  destinationHash: string | null;
  reason: LeftOutReason | null;
}

const payeesOf = ({ merchantId, asOf, programId, method, affiliateIds, minAmount = 0, limit }: PayoutPlan) => {
  const query = db
    .selectFrom('ledger_balance as b')
    // The limit keeps the planner from a merge join, which reads the affiliates of all merchants from the newest on.
    .innerJoinLateral(
      ({ selectFrom }) => selectFrom('affiliate').selectAll().whereRef('id', '=', 'b.affiliateId').limit(sql.lit(1)).as('a'),
      (join) => join.onTrue(),
    )
    .innerJoin('affiliate_profile as f', 'f.id', 'a.profileId')
    .innerJoin('merchant as m', 'm.id', 'a.merchantId')
    .innerJoin('program as p', 'p.id', 'a.programId')
    .crossJoinLateral(
      sql<{
        amount: number;
        commissions: number;
      }>`(select least(coalesce(sum(amount), 0), ${sql.lit(Number.MAX_SAFE_INTEGER)})::bigint as amount,
          count(*) filter (where kind = 'commission') as commissions from (${payableItemsOf(sql`a.id`, { asOf })}) as item)`.as(
        'i',
      ),
    )
    // Asked only where it explains something: of each commission that a flag holds.
    .leftJoinLateral(
      sql<{ amount: number; disputed: number }>`(select held.amount, held.disputed from ${heldCommissionsOf(sql`a.id`)} as held
        where i.amount < greatest(p.payout_threshold, ${minAmount}::bigint))`.as('h'),
      (join) => join.onTrue(),
    )
    .select(payoutDestination)
    .select(STANDING)
    .select(['a.programId', 'p.currency', 'p.payoutThreshold', 'b.payable', 'i.amount', 'i.commissions'])
    .select(({ fn }) => [fn.coalesce('h.amount', sql.lit(0)).as('held'), fn.coalesce('h.disputed', sql.lit(0)).as('disputed')])
    .where('b.merchantId', '=', merchantId)
    .$if(affiliateIds === undefined, (all) => all.where('b.payable', '>', sql.lit(0)))
    .$if(affiliateIds !== undefined, (named) => named.where('b.affiliateId', '=', anyOf(affiliateIds ?? [])))
    .$if(programId !== undefined, (of) => of.where('b.programId', '=', programId ?? ''))
    .$if(method !== undefined, (by) => by.where(chosenMethod, '=', method ?? null));
  return query.orderBy('b.affiliateId', 'desc').limit(limit);
};

type Payee = Awaited<ReturnType<typeof findPayees>>[number];

const findPayees = (ctx: Context, plan: PayoutPlan) => rows(ctx.em, payeesOf(plan));

/**
 * Everybody to whom money is payable, with what the next payout would pay and where, or why it would be refused: the rules of a single
 * payout. Locks nothing, so a payout is assessed again when it is created.
 */
export const planPayouts = async (ctx: Context, plan: PayoutPlan): Promise<PlannedPayee[]> => {
  const payees = await findPayees(ctx, plan);
  const planned: (PlannedPayee & { details: PayoutDetails | null; detailsSince: Date | null })[] = [];
  for (const payee of payees) planned.push(await plannedOf(ctx, payee, plan));
  const able = planned.flatMap((payee) => (payee.reason === null && payee.details ? [{ ...payee, details: payee.details }] : []));
  const rejections = await findRejections(
    ctx,
    able.map(({ details, detailsSince }) => ({ merchantId: plan.merchantId, details, detailsSince })),
  );
  const rejected = new Set(able.filter((_, n) => rejections[n]).map(({ affiliateId }) => affiliateId));
  return planned.map(({ details, detailsSince: _, ...payee }) => ({
    ...payee,
    reason: payee.reason ?? (rejected.has(payee.affiliateId) ? 'DETAILS_REJECTED' : railRefusalOf(payee, details)),
  }));
};

const plannedOf = async (ctx: Context, payee: Payee, { asOf, minAmount = 0 }: PayoutPlan) => {
  const threshold = Math.max(payee.payoutThreshold, minAmount);
  const amount = await payableTo(ctx, payee, { atLeast: Math.max(1, threshold), asOf });
  const { details, detailsSince, cooldownUntil } = openPayoutDestination(ctx, payee);
  const unusable = details === null ? 'PAYOUT_DETAILS_MISSING' : cooldownUntil && 'DETAILS_JUST_CHANGED';
  const { affiliateId, programId, currency } = payee;
  return {
    affiliateId,
    programId,
    currency,
    amount: Math.max(0, amount),
    method: details?.method ?? null,
    rail: details && ctx.settings.payoutRails[details.method],
    destination: details && maskDestination(details),
    destinationHash: details && destinationHash(ctx.cipher, details),
    reason: standingRefusalOf(payee) ?? leftOutByAmount(payee, { amount, threshold }) ?? unusable,
    details,
    detailsSince,
  };
};

/** Exact for those with more than the items of one payout, of whom there are few. */
const payableTo = async (
  ctx: Context,
  { affiliateId, amount, commissions }: Payee,
  of: { atLeast: number; asOf: Date },
): Promise<number> => {
  if (commissions < MAX_PAYOUT_COMMISSIONS && amount <= MAX_AMOUNT_MINOR) return amount;
  return (await payableItems(ctx, affiliateId, of)).reduce((total, item) => total + item.amount, 0);
};

/** What holds the money is a better answer than that too little of it is left. */
const leftOutByAmount = (
  { payable, held, disputed }: Payee,
  { amount, threshold }: { amount: number; threshold: number },
): LeftOutReason | null => {
  const refusal = amountRefusalOf({ payable: amount, unheld: payable - held, threshold });
  if (refusal === null || held <= 0 || amount + held < threshold) return refusal;
  return held - disputed > disputed ? 'HELD_BY_FLAG' : 'HELD_BY_DISPUTE';
};

const railRefusalOf = ({ rail, amount, currency }: PlannedPayee, details: PayoutDetails | null): LeftOutReason | null => {
  if (!rail || !details) return null;
  return findRailRefusal(rail, { amountMinor: amount, currency, details }) ? 'RAIL_CANNOT_PAY' : null;
};
