import type { PayoutMethod } from '../../../contracts/affiliates.ts';
import type { PayoutDetails } from '../../../contracts/payouts.ts';
import type { Rail } from '../../../contracts/rails.ts';
import type { Context } from '../../../platform/context.ts';
import { firstRow, sql } from '../../../platform/database/sql.ts';
import { conflict, invalidField } from '../../../platform/errors.ts';
import { readOwned } from '../../../platform/ownership.ts';
import {
  assertNotRejected,
  type DetailsRejection,
  findRejections,
  openPayoutDestination,
  type PayoutDestination,
} from '../../affiliates/index.ts';
import { findFewPayableItems, heldCommissionsOf, type PayableItem, payableItems } from '../../conversions/index.ts';
import { readOwnedProgram } from '../../programs/index.ts';
import { findPayoutEligibilities, type PayoutEligibility } from '../payout-state.queries.ts';
import { assertRailPays, findRailRefusal, isAccountFailing, railOfMethod } from '../rails/rail-choice.rules.ts';
import { assertWithinDailyLimit } from './daily-limit.steps.ts';
import { destinationHash } from './destination.rules.ts';
import { amountRefusalOf, standingRefusalOf } from './payout-refusals.rules.ts';

/** Who is to be paid, and how. */
export interface PayoutTerms {
  affiliateId: string;
  programId: string;
  method?: PayoutMethod | undefined;
  /** Lifts the threshold, and nothing else. */
  belowThreshold?: boolean | undefined;
  planned?: PlannedPayment | undefined;
}

/** What a run shows of a payee: nobody is paid more, later earned, or elsewhere. */
export interface PlannedPayment {
  asOf: Date;
  /** Minor units. Less is paid where less is payable. */
  amount: number;
  /** Raises the threshold. */
  minAmount: number | null;
  rail: Rail;
  /** As `destinationHash` returns it; null after an erasure. */
  destinationHash: string | null;
}

/** What a run shows of a payee does not hold any more. */
export class PlanChanged extends Error {
  readonly reason: 'AMOUNT_ROSE' | 'DETAILS_CHANGED';

  constructor(reason: PlanChanged['reason']) {
    super(`The plan of a payment does not hold: ${reason}`);
    this.name = 'PlanChanged';
    this.reason = reason;
  }
}

export interface AssessedPayout extends Pick<PayoutDestination, 'accountEnteredBy' | 'accountEnteredAt'> {
  eligibility: PayoutEligibility;
  items: PayableItem[];
  /** Minor units. */
  amount: number;
  details: PayoutDetails;
  rail: Rail;
}

/**
 * What payouts to these affiliates would pay now, and where. What decides on them is read in a few statements, however many they are, while
 * the caller holds the locks of their balances. The function that is returned throws when a payout may not be created; it writes nothing.
 */
export const assessPayouts = async (ctx: Context, payments: readonly PayoutTerms[]): Promise<Assess> => {
  const payees = await findPayees(ctx, payments);
  return (terms, balance = 0) => assess(ctx, terms, { payee: payees.get(terms.affiliateId), balance });
};

/** `balance`: what is payable or held, in minor units. A run leaves it out: what was earned after its draft does not help to reach the threshold. */
type Assess = (terms: PayoutTerms, balance?: number) => Promise<AssessedPayout>;

/** What is stored of an affiliate who is to be paid, except the balance. */
interface Payee extends PayoutEligibility {
  /** Undefined: too many to be read with those of others. */
  items: PayableItem[] | undefined;
  destination: PayoutDestination;
  rejection: DetailsRejection | null;
}

/** A run pays all its payees what was payable at one time, and a single payout has one payee. */
const findPayees = async (ctx: Context, payments: readonly PayoutTerms[]): Promise<Map<string, Payee>> => {
  const ids = payments.map(({ affiliateId }) => affiliateId);
  const methods = new Map(payments.map(({ affiliateId, method }) => [affiliateId, method]));
  const eligibilities = await findPayoutEligibilities(ctx, ids);
  const items = await findFewPayableItems(ctx, ids, payments[0]?.planned?.asOf);
  const found = eligibilities.map((eligibility) => ({
    ...eligibility,
    items: items.get(eligibility.affiliateId),
    destination: openPayoutDestination(ctx, eligibility, methods.get(eligibility.affiliateId)),
  }));
  const rejections = await findRejections(
    ctx,
    found.map(({ merchantId, destination: { details, detailsSince } }) => ({ merchantId, details, detailsSince })),
  );
  return new Map(found.map((payee, n) => [payee.affiliateId, { ...payee, rejection: rejections[n] ?? null }]));
};

const assess = async (
  ctx: Context,
  terms: PayoutTerms,
  { payee, balance }: { payee: Payee | undefined; balance: number },
): Promise<AssessedPayout> => {
  const { affiliateId, planned } = terms;
  const eligibility = await getEligible(ctx, terms, payee);
  const threshold = thresholdOf(terms, eligibility);
  const atLeast = Math.max(1, threshold);
  const items = eligibility.items ?? (await payableItems(ctx, affiliateId, { atLeast, asOf: planned?.asOf }));
  const amount = await getPayableAmount(ctx, { affiliateId, items, balance, threshold });
  if (planned && amount > planned.amount) throw new PlanChanged('AMOUNT_ROSE');
  // A run was compared as a whole.
  const { merchantId, currency, payoutDailyLimit } = eligibility;
  if (!planned) await assertWithinDailyLimit(ctx, { merchantId, amounts: [{ currency, amount }], payoutDailyLimit });
  const { details, rail, accountEnteredBy, accountEnteredAt } = getUsable(ctx, terms, eligibility);
  assertNotRejected(eligibility.rejection);
  const order = { amountMinor: amount, currency, details };
  // A run was confirmed while the account could pay, and waits while it cannot.
  const isHeld = !planned && isAccountFailing(rail, eligibility);
  assertRailPays(rail, findRailRefusal(rail, order, eligibility) ?? (isHeld ? 'account_held' : null));
  return { eligibility, items, amount, details, rail, accountEnteredBy, accountEnteredAt };
};

/** What a draft shows may be paid even below it, as to somebody with too many small commissions for one payout. */
const thresholdOf = ({ belowThreshold, planned }: PayoutTerms, { threshold }: PayoutEligibility): number => {
  if (belowThreshold) return 0;
  return planned ? Math.min(Math.max(threshold, planned.minAmount ?? 0), planned.amount) : threshold;
};

const STANDING_REFUSALS = {
  AFFILIATE_BLOCKED: 'The affiliate is blocked',
  PAYOUTS_PAUSED: 'Payouts to the affiliate are paused',
  UNRESOLVED_PAYOUT: 'A payout to this affiliate was reported as paid and as failed; resolve it first',
  PAYOUT_IN_FLIGHT: 'A payout to this affiliate is in progress',
} as const;

/** Throws when the affiliate is missing, belongs to another merchant, is blocked or paused, or has a payout in flight. */
const getEligible = async (ctx: Context, terms: PayoutTerms, payee: Payee | undefined): Promise<Payee> => {
  const found = readOwned(ctx, 'Affiliate', payee ?? null);
  if (found.programId !== terms.programId) {
    await readOwnedProgram(ctx, terms.programId);
    throw invalidField('affiliateId', 'is not a member of this program');
  }
  const refusal = standingRefusalOf(found);
  if (refusal === null) return found;
  const payoutId = refusal === 'UNRESOLVED_PAYOUT' ? found.unresolved : refusal === 'PAYOUT_IN_FLIGHT' ? found.inFlight : null;
  throw conflict(refusal, STANDING_REFUSALS[refusal], payoutId === null ? {} : { payoutId });
};

/** Throws PAYOUT_DETAILS_MISSING, and DETAILS_JUST_CHANGED during the merchant's cooldown after a change. */
const getUsable = (ctx: Context, { method, planned }: PayoutTerms, payee: Payee) => {
  const { details, cooldownUntil, accountEnteredBy, accountEnteredAt } = payee.destination;
  if (!details) {
    const message = method ? `The affiliate has no payout details for ${method}` : 'The affiliate has no payout method';
    throw conflict('PAYOUT_DETAILS_MISSING', message, { method: method ?? null });
  }
  const rail = details.connected?.rail ?? railOfMethod(ctx.settings, payee, details.method);
  if (planned && (planned.rail !== rail || planned.destinationHash !== destinationHash(ctx.cipher, details)))
    throw new PlanChanged('DETAILS_CHANGED');
  if (cooldownUntil)
    throw conflict('DETAILS_JUST_CHANGED', 'The payout details of the affiliate were changed a short time ago', {
      detailsCooldownUntil: cooldownUntil.toISOString(),
    });
  return { details, rail, accountEnteredBy, accountEnteredAt };
};

const sum = (items: readonly PayableItem[]): number => items.reduce((total, { amount }) => total + amount, 0);

interface Payable {
  affiliateId: string;
  items: readonly PayableItem[];
  /** Minor units that are payable or held. */
  balance: number;
  threshold: number;
}

/** In minor units. Throws NOTHING_PAYABLE or BELOW_THRESHOLD. */
const getPayableAmount = async (ctx: Context, { affiliateId, items, balance, threshold }: Payable): Promise<number> => {
  const payable = sum(items);
  const held = payable < Math.max(1, threshold) ? await getHeldAmount(ctx, affiliateId) : 0;
  const refusal = amountRefusalOf({ payable, unheld: balance - held, threshold });
  if (refusal === 'NOTHING_PAYABLE' && held > 0)
    throw conflict(refusal, 'All that is payable to the affiliate is held by flags or disputes', { payable, held });
  if (refusal === 'NOTHING_PAYABLE') throw conflict(refusal, 'The affiliate has no payable balance', { payable });
  if (refusal !== null) throw conflict(refusal, 'The payable amount is below the payout threshold', { payable, threshold });
  return payable;
};

const getHeldAmount = async (ctx: Context, affiliateId: string): Promise<number> =>
  (await firstRow(ctx.em, heldCommissionsOf(sql`${affiliateId}::uuid`)))?.amount ?? 0;
