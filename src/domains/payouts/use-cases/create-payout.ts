import { actorName, type Context, emitEach, inTransaction } from '../../../platform/context.ts';
import { invalidField } from '../../../platform/errors.ts';
import { askForApproval, needsApproval } from '../approval.ts';
import { type AssessedPayout, assessPayout, type PayoutTerms } from '../assess-payout.ts';
import { Payout } from '../payout.entity.ts';
import { deductionsOf, insertItems } from '../payout-items.ts';
import type { PayoutEligibility } from '../payout-state.queries.ts';
import { postPayoutTransfer } from '../payout-transitions.ts';
import { startPayoutWorkflows } from '../payout-workflow.ts';
import { toPayout } from '../payouts.wire.ts';
import { addTimelineEntry } from '../timeline.ts';

export interface CreatePayoutInput extends PayoutTerms {
  /** Required with `belowThreshold`; a retry has had it. */
  notes?: string | undefined;
  retryOf?: string | undefined;
}

/** Creates a payout of what is payable to an affiliate in a program, up to the maximum of a payout, and enqueues its workflow. */
export const createPayout = (ctx: Context, input: CreatePayoutInput): Promise<Payout> =>
  inTransaction(ctx, async (ctx) => {
    const payout = await placePayout(ctx, input);
    await announcePayouts(ctx, [payout]);
    return payout;
  });

/** As `createPayout`, in the caller's transaction, but for what `announcePayouts` adds for several at once. */
export const placePayout = async (ctx: Context, input: CreatePayoutInput): Promise<Payout> => {
  if (input.belowThreshold && !input.notes && !input.retryOf) throw invalidField('notes', 'is required with belowThreshold');
  const assessed = await assessPayout(ctx, input);
  // A run is approved as a whole.
  const needed = !input.planned && (await needsApproval(ctx, { ...assessed.eligibility, amount: assessed.amount }));
  const payout = newPayout(ctx, input, assessed, needed);
  await insertItems(ctx, payout, assessed.items);
  const openAdjustments = -deductionsOf(assessed.items);
  await postPayoutTransfer(ctx, payout, { kind: 'payout_created', from: 'payable', to: 'in_payout', openAdjustments });
  await addTimelineEntry(ctx, payout, { type: 'created', to: 'pending', reason: causeOf(input) });
  if (needed) await askForApproval(ctx, payout, 0);
  return payout;
};

/** The events and workflows of new payouts of one merchant, which are stored. */
export const announcePayouts = async (ctx: Context, payouts: readonly Payout[]): Promise<void> => {
  await emitEach(
    ctx,
    payouts.map((payout) => {
      const { merchantId, programId } = payout;
      return { type: 'payout.created' as const, merchantId, programId, data: toPayout(payout) };
    }),
  );
  await startPayoutWorkflows(ctx, payouts);
};

const causeOf = ({ retryOf, planned }: CreatePayoutInput): 'retry' | 'run' | null => {
  if (retryOf) return 'retry';
  return planned ? 'run' : null;
};

const newPayout = (
  ctx: Context,
  input: CreatePayoutInput,
  { eligibility, amount, details, rail }: AssessedPayout,
  needsApproval: boolean,
): Payout => {
  const id = ctx.ids.next();
  const createdAt = ctx.clock.now();
  return ctx.em.create(Payout, {
    id,
    merchantId: eligibility.merchantId,
    programId: eligibility.programId,
    affiliateId: input.affiliateId,
    profileId: eligibility.profileId,
    ...namesOf(eligibility),
    amount,
    currency: eligibility.currency,
    method: details.method,
    rail,
    details: ctx.cipher.encrypt(JSON.stringify(details), { table: 'payout', column: 'details', row: id }),
    notes: input.notes ?? null,
    belowThreshold: input.belowThreshold ?? false,
    retryOf: input.retryOf ?? null,
    payoutRunId: input.planned?.runId ?? null,
    createdBy: actorName(ctx.actor),
    approvalRequiredAt: needsApproval ? createdAt : null,
    createdAt,
  });
};

const namesOf = ({ affiliateCode, affiliateName, programName }: PayoutEligibility) => ({
  affiliateCode,
  affiliateName,
  programName,
  searchText: [affiliateCode, affiliateName ?? ''].join('\n').toLowerCase(),
});
