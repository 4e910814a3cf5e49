import type { PayoutMethod } from '../../../contracts/affiliates.ts';
import { MAX_PAYOUT_COMMISSIONS } from '../../../contracts/limits.ts';
import type { UnpayableReason } from '../../../contracts/payout-runs.ts';
import type { PayoutDetails } from '../../../contracts/payouts.ts';
import type { Rail } from '../../../contracts/rails.ts';
import type { Context } from '../../../platform/context.ts';
import { type InferResult, rows, sql } from '../../../platform/database/sql.ts';
import { anyOf } from '../../../platform/database/table.ts';
import { MAX_AMOUNT_MINOR } from '../../../platform/money.ts';
import { chosenMethod, findRejections, openPayoutDestination, payoutDestination } from '../../affiliates/index.ts';
import { heldCommissionsOf, payableItems, payableItemsOf } from '../../conversions/index.ts';
import { db } from '../../tables.ts';
import { STANDING } from '../payout-state.queries.ts';
import { MERCHANT_RAILS } from '../rails/rail-choice.queries.ts';
import { findRailRefusal, isAccountFailing, type MerchantRails, railOfMethod } from '../rails/rail-choice.rules.ts';
import { destinationHash, maskDestination } from './destination.rules.ts';
import { amountRefusalOf, standingRefusalOf } from './payout-refusals.rules.ts';

export interface PayoutPlan {
  merchantId: string;
  /** What is payable at this time. */
  asOf: Date;
  programId?: string | undefined;
  /** Only payees who chose it. */
  method?: PayoutMethod | undefined;
  /** Affiliates of the merchant, including those to whom nothing is payable. */
  affiliateIds?: readonly string[] | undefined;
  /** Minor units; raises the threshold. */
  minAmount?: number | undefined;
  /** Lifts the threshold. */
  belowThreshold?: boolean | undefined;
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
  reason: UnpayableReason | null;
  /** Nobody pays to changed details before this time. */
  cooldownUntil: Date | null;
  /** The account that it would be paid from cannot pay now: drafts keep it, and wait. */
  isAccountFailing: boolean;
}

/** Adds what only decides on the payment. */
export type AssessedPayee = PlannedPayee &
  Pick<MerchantRails, 'railAccounts'> & { merchantId: string; details: PayoutDetails | null; detailsSince: Date | null };

/** What the next payout to an affiliate `a` would consist of. */
export const nextItemsOf = (asOf?: Date) =>
  sql<{
    amount: number;
    commissions: number;
  }>`(select least(coalesce(sum(amount), 0), ${sql.lit(Number.MAX_SAFE_INTEGER)})::bigint as amount,
      count(*) filter (where kind = 'commission') as commissions from (${payableItemsOf(sql`a.id`, { asOf: asOf && sql`${asOf.toISOString()}` })}) as item)`.as(
    'i',
  );

/** What is held of an affiliate `a`, where that explains why the items `i` do not suffice: each commission that a flag holds is read. */
const explainingHoldsOf = (minAmount = 0) =>
  sql<{ amount: number; disputed: number }>`(select held.amount, held.disputed from ${heldCommissionsOf(sql`a.id`)} as held
    where i.amount < greatest(p.payout_threshold, ${minAmount}::bigint))`.as('h');

const payeesOf = ({ merchantId, asOf, programId, method, affiliateIds, minAmount, limit }: PayoutPlan) => {
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
    .crossJoinLateral(nextItemsOf(asOf))
    .leftJoinLateral(explainingHoldsOf(minAmount), (join) => join.onTrue())
    .select(payoutDestination)
    .select(STANDING)
    .select(MERCHANT_RAILS)
    .select(['a.merchantId', 'a.programId', 'p.currency', 'p.payoutThreshold', 'b.payable', 'i.amount', 'i.commissions'])
    .select(({ fn }) => [fn.coalesce('h.amount', sql.lit(0)).as('held'), fn.coalesce('h.disputed', sql.lit(0)).as('disputed')])
    .where('b.merchantId', '=', merchantId)
    .$if(affiliateIds === undefined, (all) => all.where('b.payable', '>', sql.lit(0)))
    .$if(affiliateIds !== undefined, (named) => named.where('b.affiliateId', '=', anyOf(affiliateIds ?? [])))
    .$if(programId !== undefined, (of) => of.where('b.programId', '=', programId ?? ''))
    .$if(method !== undefined, (by) => by.where(chosenMethod, '=', method ?? null));
  return query.orderBy('b.affiliateId', 'desc').limit(limit);
};

export type Payee = InferResult<ReturnType<typeof payeesOf>>[number];

/**
 * Everybody to whom money is payable, with what the next payout would pay and where, or why it would be refused: the rules of a single
 * payout. Locks nothing, so a payout is assessed again when it is created.
 */
export const planPayouts = async (ctx: Context, plan: PayoutPlan): Promise<PlannedPayee[]> =>
  assessPayees(ctx, await rows(ctx.em, payeesOf(plan)), plan);

/** Keeps the order of the payees. */
export const assessPayees = async (
  ctx: Context,
  payees: readonly Payee[],
  plan: Pick<PayoutPlan, 'asOf' | 'minAmount' | 'belowThreshold'>,
): Promise<PlannedPayee[]> => {
  const planned = await assessEach(ctx, payees, plan);
  const able = planned.filter(({ reason }) => reason === null);
  const rejections = await findRejections(
    ctx,
    able.map(({ merchantId, details, detailsSince }) => ({ merchantId, details, detailsSince })),
  );
  const rejected = new Set(able.filter((_, n) => rejections[n]).map(({ affiliateId }) => affiliateId));
  return planned.map(({ merchantId: _, details, detailsSince: __, railAccounts, ...payee }) => ({
    ...payee,
    reason: reasonOf({ ...payee, details, railAccounts }, rejected.has(payee.affiliateId)),
  }));
};

/** Like `assessPayees`, without what providers refused and do not pay: `reasonOf` adds it. */
export const assessEach = async (
  ctx: Context,
  payees: readonly Payee[],
  plan: Pick<PayoutPlan, 'asOf' | 'minAmount' | 'belowThreshold'>,
): Promise<AssessedPayee[]> => {
  const planned: AssessedPayee[] = [];
  for (const payee of payees) planned.push(await plannedOf(ctx, payee, plan));
  return planned;
};

export const reasonOf = (
  payee: PlannedPayee & Pick<AssessedPayee, 'details' | 'railAccounts'>,
  isRejected: boolean,
): UnpayableReason | null => payee.reason ?? (isRejected ? 'DETAILS_REJECTED' : railRefusalOf(payee));

const plannedOf = async (
  ctx: Context,
  payee: Payee,
  { asOf, minAmount = 0, belowThreshold = false }: Pick<PayoutPlan, 'asOf' | 'minAmount' | 'belowThreshold'>,
): Promise<AssessedPayee> => {
  const threshold = belowThreshold ? 0 : Math.max(payee.payoutThreshold, minAmount);
  const amount = await payableTo(ctx, payee, { atLeast: Math.max(1, threshold), asOf });
  const { details, detailsSince, cooldownUntil } = openPayoutDestination(ctx, payee);
  const unusable = details === null ? 'PAYOUT_DETAILS_MISSING' : cooldownUntil && 'DETAILS_JUST_CHANGED';
  const { affiliateId, merchantId, programId, currency, railAccounts } = payee;
  const rail = details && (details.connected?.rail ?? railOfMethod(ctx.settings, payee, details.method));
  return {
    affiliateId,
    merchantId,
    programId,
    currency,
    amount: Math.max(0, amount),
    method: details?.method ?? null,
    rail,
    destination: details && maskDestination(details),
    destinationHash: details && destinationHash(ctx.cipher, details),
    reason: standingRefusalOf(payee) ?? leftOutByAmount(payee, { amount, threshold }) ?? unusable,
    cooldownUntil,
    isAccountFailing: rail !== null && isAccountFailing(rail, payee),
    railAccounts,
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

/** A hold on the money is a better answer than that too little is left. */
const leftOutByAmount = (
  { payable, held, disputed }: Payee,
  { amount, threshold }: { amount: number; threshold: number },
): UnpayableReason | null => {
  const refusal = amountRefusalOf({ payable: amount, unheld: payable - held, threshold });
  if (refusal === null || held <= 0 || amount + held < threshold) return refusal;
  return held - disputed > disputed ? 'HELD_BY_FLAG' : 'HELD_BY_DISPUTE';
};

const railRefusalOf = ({
  rail,
  amount,
  currency,
  details,
  railAccounts,
}: PlannedPayee & Pick<AssessedPayee, 'details' | 'railAccounts'>): UnpayableReason | null => {
  if (!rail || !details) return null;
  return findRailRefusal(rail, { amountMinor: amount, currency, details }, { railAccounts }) ? 'RAIL_CANNOT_PAY' : null;
};
