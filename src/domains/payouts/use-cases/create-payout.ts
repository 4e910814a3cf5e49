import { formatMoney } from '../../../contracts/currencies.ts';
import { actorName, type Context, emitEach, inTransaction } from '../../../platform/context.ts';
import { flushPending } from '../../../platform/database/sql.ts';
import { invalidField } from '../../../platform/errors.ts';
import { searchTextOf } from '../../../platform/search-text.ts';
import { askForApproval, needsApproval } from '../approval/approval.steps.ts';
import { type AssessedPayout, assessPayout, type PayoutTerms } from '../create/assess-payout.steps.ts';
import { destinationHash, maskDestination } from '../create/destination.rules.ts';
import { deductionsOf, insertItems } from '../create/payout-items.steps.ts';
import { Payout } from '../payout.entity.ts';
import { postPayoutTransfer, postPayoutTransfers } from '../payout-money.steps.ts';
import type { PayoutEligibility } from '../payout-state.queries.ts';
import { startPayoutWorkflows } from '../payout-workflow.steps.ts';
import { toPayout } from '../payouts.wire.ts';
import { addTimelineEntries, addTimelineEntry } from '../timeline.steps.ts';

export interface CreatePayoutInput extends PayoutTerms {
  /** Required with `belowThreshold`; a retry has had it. */
  notes?: string | undefined;
  retryOf?: string | undefined;
}

/** Creates a payout of what is payable to an affiliate in a program, up to the maximum of a payout, and enqueues its workflow. */
export const createPayout = (ctx: Context, input: CreatePayoutInput): Promise<Payout> =>
  inTransaction(ctx, async (ctx) => {
    if (input.belowThreshold && !input.notes && !input.retryOf) throw invalidField('notes', 'is required with belowThreshold');
    const assessed = await assessPayout(ctx, input);
    const by = actorName(ctx.actor);
    const { merchantId, currency, payoutApprovalThreshold } = assessed.eligibility;
    const amounts = [{ currency, amount: assessed.amount }];
    const needed = await needsApproval(ctx, { merchantId, amounts, payoutApprovalThreshold, by });
    const [payout] = await storeEach(ctx, (ctx) => [newPayout(ctx, input, assessed, needed)] as const);
    await insertItems(ctx, itemsOf(payout, assessed));
    const openAdjustments = -deductionsOf(assessed.items);
    await postPayoutTransfer(ctx, payout, { ...CREATED, openAdjustments });
    await addTimelineEntry(ctx, payout, { type: 'created', to: 'pending', reason: input.retryOf ? 'retry' : null });
    if (needed) await askForApproval(ctx, payout, 0);
    await announcePayouts(ctx, [payout]);
    return payout;
  });

const CREATED = { kind: 'payout_created', from: 'payable', to: 'in_payout' } as const;

/** A payment of a run, and what its approver saw, in minor units. */
export interface PlannedPayout {
  payment: AssessedPayout;
  shownMinor: number;
}

/** Null: nobody had to approve it. */
type Approval = { actor: string; at: Date } | null;

/**
 * As `createPayout`, for payments of one run that were assessed in the caller's transaction: it was approved as a whole. In statements
 * for all of them.
 */
export const createPlannedPayouts = async (
  ctx: Context,
  { runId, approval }: { runId: string; approval: Approval },
  assessed: readonly PlannedPayout[],
): Promise<Payout[]> => {
  if (assessed.length === 0) return [];
  const placed = await storeEach(ctx, (ctx) =>
    assessed.map((planned) => ({ ...planned, payout: newPayout(ctx, { runId }, planned.payment, false) })),
  );
  await insertItems(
    ctx,
    placed.flatMap(({ payout, payment }) => itemsOf(payout, payment)),
  );
  const transfers = placed.map(({ payout, payment }) => ({ payout, openAdjustments: -deductionsOf(payment.items) }));
  await postPayoutTransfers(ctx, CREATED, transfers);
  const payouts = placed.map(({ payout }) => payout);
  await addTimelineEntries(
    ctx,
    placed.flatMap((of) => entriesOf(of, approval)),
  );
  await announcePayouts(ctx, payouts);
  return payouts;
};

/** With an entity manager of its own: otherwise each later statement of the transaction would compare what was made here. */
const storeEach = async <T>(ctx: Context, make: (ctx: Context) => T): Promise<T> => {
  const em = ctx.em.fork({ keepTransactionContext: true });
  const made = make({ ...ctx, em });
  await flushPending(em);
  return made;
};

const entriesOf = ({ payout, payment, shownMinor }: PlannedPayout & { payout: Payout }, by: Approval) => {
  const created = { payout, type: 'created', to: 'pending', reason: 'run' } as const;
  if (by === null) return [created];
  const note = `${formatMoney(shownMinor, payout.currency)} to ${maskDestination(payment.details)}`;
  return [created, { payout, type: 'approved', by, reason: 'run', note } as const];
};

const itemsOf = ({ id: payoutId }: Payout, { items }: AssessedPayout) => items.map((item) => ({ ...item, payoutId }));

/** The events and workflows of new payouts of one merchant, which are stored. */
const announcePayouts = async (ctx: Context, payouts: readonly Payout[]): Promise<void> => {
  await emitEach(
    ctx,
    payouts.map((payout) => {
      const { merchantId, programId } = payout;
      return { type: 'payout.created' as const, merchantId, programId, data: toPayout(payout) };
    }),
  );
  await startPayoutWorkflows(ctx, payouts);
};

const newPayout = (
  ctx: Context,
  input: Pick<CreatePayoutInput, 'notes' | 'belowThreshold' | 'retryOf'> & { runId?: string },
  { eligibility, amount, details, rail, accountEnteredBy, accountEnteredAt }: AssessedPayout,
  needsApproval: boolean,
): Payout => {
  const id = ctx.ids.next();
  const createdAt = ctx.clock.now();
  return ctx.em.create(Payout, {
    id,
    merchantId: eligibility.merchantId,
    programId: eligibility.programId,
    affiliateId: eligibility.affiliateId,
    profileId: eligibility.profileId,
    ...namesOf(eligibility),
    amount,
    currency: eligibility.currency,
    method: details.method,
    rail,
    details: ctx.cipher.encrypt(JSON.stringify(details), { table: 'payout', column: 'details', row: id }),
    destinationHash: destinationHash(ctx.cipher, details),
    accountEnteredBy,
    accountEnteredAt,
    notes: input.notes ?? null,
    belowThreshold: input.belowThreshold ?? false,
    retryOf: input.retryOf ?? null,
    payoutRunId: input.runId ?? null,
    createdBy: actorName(ctx.actor),
    approvalRequiredAt: needsApproval ? createdAt : null,
    createdAt,
  });
};

const namesOf = ({ affiliateCode, affiliateName, programName }: PayoutEligibility) => ({
  affiliateCode,
  affiliateName,
  programName,
  searchText: searchTextOf(affiliateCode, affiliateName),
});
