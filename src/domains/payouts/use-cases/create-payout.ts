import type { PayoutMethod } from '../../../contracts/affiliates.ts';
import type { PayoutDetails } from '../../../contracts/payouts.ts';
import { actorName, type Context, inTransaction } from '../../../platform/context.ts';
import { firstRow, sql } from '../../../platform/database/sql.ts';
import { conflict, invalidField } from '../../../platform/errors.ts';
import { readOwned } from '../../../platform/ownership.ts';
import { findPayoutDestination } from '../../affiliates/index.ts';
import { heldCommissionsOf, type PayableItem, payableItems } from '../../conversions/index.ts';
import { lockBalance } from '../../ledger/index.ts';
import { readOwnedProgram } from '../../programs/index.ts';
import { assertWithinDailyLimit } from '../daily-limit.ts';
import { Payout } from '../payout.entity.ts';
import { deductionsOf, insertItems } from '../payout-items.ts';
import { findPayoutEligibility, type PayoutEligibility } from '../payout-state.queries.ts';
import { emitPayoutEvent, postPayoutTransfer } from '../payout-transitions.ts';
import { startPayoutWorkflow } from '../payout-workflow.ts';
import { addTimelineEntry } from '../timeline.ts';

export interface CreatePayoutInput {
  affiliateId: string;
  programId: string;
  method?: PayoutMethod | undefined;
  notes?: string | undefined;
  /** Lifts the threshold, and nothing else; with a note, which a retry has had. */
  belowThreshold?: boolean | undefined;
  retryOf?: string | undefined;
}

const sum = (items: readonly PayableItem[]): number => items.reduce((total, item) => total + item.amount, 0);

/** Creates a payout of what is payable to an affiliate in a program, up to the maximum of a payout, and enqueues its workflow. */
export const createPayout = (ctx: Context, input: CreatePayoutInput): Promise<Payout> =>
  inTransaction(ctx, async (ctx) => {
    const { belowThreshold = false } = input;
    if (belowThreshold && !input.notes && !input.retryOf) throw invalidField('notes', 'is required with belowThreshold');
    const balance = await lockBalance(ctx, input.affiliateId);
    const eligibility = await getOwnEligibility(ctx, input);
    const threshold = belowThreshold ? 0 : eligibility.threshold;
    const items = await payableItems(ctx, input.affiliateId, Math.max(1, threshold));
    const amount = await getPayableAmount(ctx, { ...input, items, balance: balance.payable, threshold });
    await assertWithinDailyLimit(ctx, { ...eligibility, amount });
    const details = await getUsableDetails(ctx, input);
    const id = ctx.ids.next();
    const payout = ctx.em.create(Payout, {
      id,
      merchantId: eligibility.merchantId,
      programId: eligibility.programId,
      affiliateId: input.affiliateId,
      profileId: eligibility.profileId,
      ...namesOf(eligibility),
      amount,
      currency: eligibility.currency,
      method: details.method,
      rail: ctx.settings.payoutRails[details.method],
      details: ctx.cipher.encrypt(JSON.stringify(details), { table: 'payout', column: 'details', row: id }),
      notes: input.notes ?? null,
      belowThreshold,
      retryOf: input.retryOf ?? null,
      createdBy: actorName(ctx.actor),
      createdAt: ctx.clock.now(),
    });
    await insertItems(ctx, payout, items);
    const openAdjustments = -deductionsOf(items);
    await postPayoutTransfer(ctx, payout, { kind: 'payout_created', from: 'payable', to: 'in_payout', openAdjustments });
    await addTimelineEntry(ctx, payout, { type: 'created', to: 'pending', reason: input.retryOf ? 'retry' : null });
    await emitPayoutEvent(ctx, payout, 'payout.created');
    await startPayoutWorkflow(ctx, payout);
    return payout;
  });

const namesOf = ({ affiliateCode, affiliateName, programName }: PayoutEligibility) => ({
  affiliateCode,
  affiliateName,
  programName,
  searchText: [affiliateCode, affiliateName ?? ''].join('\n').toLowerCase(),
});

/** Throws when the affiliate is missing, belongs to another merchant, is blocked or paused, or has a payout in flight. */
const getOwnEligibility = async (ctx: Context, input: CreatePayoutInput): Promise<PayoutEligibility> => {
  const found = readOwned(ctx, 'Affiliate', await findPayoutEligibility(ctx, input.affiliateId));
  if (found.programId !== input.programId) {
    await readOwnedProgram(ctx, input.programId);
    throw invalidField('affiliateId', 'is not a member of this program');
  }
  if (found.affiliateStatus === 'blocked') throw conflict('AFFILIATE_BLOCKED', 'The affiliate is blocked');
  if (found.payoutsPaused) throw conflict('PAYOUTS_PAUSED', 'Payouts to the affiliate are paused');
  if (found.unresolved)
    throw conflict('UNRESOLVED_PAYOUT', 'A payout to this affiliate was reported as paid and as failed; resolve it first', {
      payoutId: found.unresolved,
    });
  if (found.inFlight)
    throw conflict('PAYOUT_IN_FLIGHT', 'A payout to this affiliate is in progress', { payoutId: found.inFlight });
  return found;
};

/** Throws PAYOUT_DETAILS_MISSING, and DETAILS_JUST_CHANGED during the merchant's cooldown after a change. */
const getUsableDetails = async (ctx: Context, { affiliateId, method }: CreatePayoutInput): Promise<PayoutDetails> => {
  const { details, cooldownUntil } = await findPayoutDestination(ctx, { affiliateId, method });
  if (!details) {
    const message = method ? `The affiliate has no payout details for ${method}` : 'The affiliate has no payout method';
    throw conflict('PAYOUT_DETAILS_MISSING', message, { method: method ?? null });
  }
  if (cooldownUntil)
    throw conflict('DETAILS_JUST_CHANGED', 'The payout details of the affiliate were changed a short time ago', {
      detailsCooldownUntil: cooldownUntil.toISOString(),
    });
  return details;
};

interface Payable {
  affiliateId: string;
  items: readonly PayableItem[];
  /** Minor units that are payable or held. */
  balance: number;
  threshold: number;
}

/**
 * In minor units. Throws NOTHING_PAYABLE or BELOW_THRESHOLD. A payout has a limited number of items, so what reaches the threshold is
 * all that is payable: many small commissions would never reach it by parts.
 */
const getPayableAmount = async (ctx: Context, { affiliateId, items, balance, threshold }: Payable): Promise<number> => {
  const payable = sum(items);
  if (payable <= 0) throw conflict('NOTHING_PAYABLE', 'The affiliate has no payable balance', { payable });
  if (payable < threshold && balance - (await getHeldAmount(ctx, affiliateId)) < threshold)
    throw conflict('BELOW_THRESHOLD', 'The payable amount is below the payout threshold', { payable, threshold });
  return payable;
};

const getHeldAmount = async (ctx: Context, affiliateId: string): Promise<number> =>
  (await firstRow(ctx.em, heldCommissionsOf(sql`${affiliateId}::uuid`)))?.amount ?? 0;
