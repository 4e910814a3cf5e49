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
  findPayoutDestination,
  findPayoutDestinations,
  findRejections,
  openPayoutDestination,
  type Payee,
  type PayoutDestination,
} from '../../affiliates/index.ts';
import { findFewPayableItems, heldCommissionsOf, type PayableItem, payableItems } from '../../conversions/index.ts';
import { lockBalance } from '../../ledger/index.ts';
import { readOwnedProgram } from '../../programs/index.ts';
import { findPayoutEligibilities, findPayoutEligibility, type PayoutEligibility } from '../payout-state.queries.ts';
import { assertRailPays } from '../rails/rails.ts';
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
 * What a payout would pay now, and where. Throws when none may be created; writes nothing. Locks the affiliate's balance until the
 * transaction ends.
 */
export const assessPayout = async (ctx: Context, terms: PayoutTerms): Promise<AssessedPayout> => {
  const { payable } = await lockBalance(ctx, terms.affiliateId);
  return assess(ctx, terms, { facts: STORED, payable });
};

/**
 * As `assessPayout`, for payments of one run whose balances are locked: what decides on them is read in a few statements, however many
 * they are. The function that is returned throws for each of them alone.
 */
export const assessPlanned = async (
  ctx: Context,
  payments: readonly PlannedTerms[],
): Promise<(terms: PlannedTerms) => Promise<AssessedPayout>> => {
  const facts = await readFacts(ctx, payments);
  // What was earned after the draft does not help to reach the threshold.
  return (terms) => assess(ctx, terms, { facts, payable: 0 });
};

/** By the method that the affiliate chooses now. */
export type PlannedTerms = Pick<PayoutTerms, 'affiliateId' | 'programId'> & { planned: PlannedPayment };

/** What decides on a payout, but for its balance. */
interface Facts {
  eligibility(ctx: Context, affiliateId: string): Promise<PayoutEligibility | null>;
  items(ctx: Context, affiliateId: string, of: { atLeast: number; asOf?: Date | undefined }): Promise<PayableItem[]>;
  destination(ctx: Context, of: Pick<PayoutTerms, 'affiliateId' | 'method'>): Promise<PayoutDestination>;
  rejection(ctx: Context, of: Payee): Promise<DetailsRejection | null | undefined>;
}

/** Read when it is asked for. */
const STORED: Facts = {
  eligibility: findPayoutEligibility,
  items: payableItems,
  destination: findPayoutDestination,
  rejection: async (ctx, payee) => (await findRejections(ctx, [payee]))[0],
};

const readFacts = async (ctx: Context, payments: readonly PlannedTerms[]): Promise<Facts> => {
  const [first] = payments;
  if (!first) return STORED;
  const ids = payments.map(({ affiliateId }) => affiliateId);
  const eligibilities = new Map((await findPayoutEligibilities(ctx, ids)).map((found) => [found.affiliateId, found]));
  const items = await findFewPayableItems(ctx, ids, first.planned.asOf);
  const destinations = new Map(
    (await findPayoutDestinations(ctx, ids)).map((row) => [row.affiliateId, openPayoutDestination(ctx, row)]),
  );
  const payees = [...destinations].flatMap(([affiliateId, { details, detailsSince }]) => {
    const merchantId = eligibilities.get(affiliateId)?.merchantId;
    return details && merchantId ? [{ merchantId, details, detailsSince }] : [];
  });
  const found = await findRejections(ctx, payees);
  const rejections = new Map(payees.map(({ details }, n) => [details, found[n]]));
  return {
    eligibility: async (_, id) => eligibilities.get(id) ?? null,
    items: async (ctx, id, of) => items.get(id) ?? payableItems(ctx, id, of),
    destination: async (ctx, of) => destinations.get(of.affiliateId) ?? findPayoutDestination(ctx, of),
    rejection: async (_, { details }) => rejections.get(details),
  };
};

const assess = async (
  ctx: Context,
  terms: PayoutTerms,
  { facts, payable }: { facts: Facts; payable: number },
): Promise<AssessedPayout> => {
  const { affiliateId, planned } = terms;
  const eligibility = await getOwnEligibility(ctx, terms, await facts.eligibility(ctx, affiliateId));
  const threshold = thresholdOf(terms, eligibility);
  const items = await facts.items(ctx, affiliateId, { atLeast: Math.max(1, threshold), asOf: planned?.asOf });
  const amount = await getPayableAmount(ctx, { affiliateId, items, balance: payable, threshold });
  if (planned && amount > planned.amount) throw new PlanChanged('AMOUNT_ROSE');
  // A run was compared as a whole.
  const { merchantId, currency, payoutDailyLimit } = eligibility;
  if (!planned) await assertWithinDailyLimit(ctx, { merchantId, amounts: [{ currency, amount }], payoutDailyLimit });
  const destination = getUsable(ctx, terms, await facts.destination(ctx, terms));
  const { details, rail, detailsSince, accountEnteredBy, accountEnteredAt } = destination;
  assertNotRejected(await facts.rejection(ctx, { merchantId, details, detailsSince }));
  assertRailPays(rail, { amountMinor: amount, currency, details });
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
const getOwnEligibility = async (
  ctx: Context,
  terms: PayoutTerms,
  stored: PayoutEligibility | null,
): Promise<PayoutEligibility> => {
  const found = readOwned(ctx, 'Affiliate', stored);
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
const getUsable = (ctx: Context, { method, planned }: PayoutTerms, { details, cooldownUntil, ...known }: PayoutDestination) => {
  if (!details) {
    const message = method ? `The affiliate has no payout details for ${method}` : 'The affiliate has no payout method';
    throw conflict('PAYOUT_DETAILS_MISSING', message, { method: method ?? null });
  }
  const rail = ctx.settings.payoutRails[details.method];
  if (planned && (planned.rail !== rail || planned.destinationHash !== destinationHash(ctx.cipher, details)))
    throw new PlanChanged('DETAILS_CHANGED');
  if (cooldownUntil)
    throw conflict('DETAILS_JUST_CHANGED', 'The payout details of the affiliate were changed a short time ago', {
      detailsCooldownUntil: cooldownUntil.toISOString(),
    });
  return { ...known, details, rail };
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
