import { formatMoney } from '../../../contracts/currencies.ts';
import { actorName, type Context, emit, inTransaction } from '../../../platform/context.ts';
import { flushPending } from '../../../platform/database/sql.ts';
import { invalidField, invariant } from '../../../platform/errors.ts';
import { searchTextOf } from '../../../platform/search-text.ts';
import { lockBalance, postTransfers } from '../../ledger/index.ts';
import { askForApproval, needsApproval } from '../approval/approval.steps.ts';
import { type AssessedPayout, assessPayouts, type PayoutTerms } from '../create/assess-payout.steps.ts';
import { destinationHash, maskDestination } from '../create/destination.rules.ts';
import { deductionsOf, insertItems } from '../create/payout-items.steps.ts';
import { Payout } from '../payout.entity.ts';
import type { PayoutEligibility } from '../payout-state.queries.ts';
import { startPayoutWorkflows } from '../payout-workflow.steps.ts';
import { toPayout } from '../payouts.wire.ts';
import { addTimelineEntries } from '../timeline.steps.ts';

export interface CreatePayoutInput extends PayoutTerms {
  /** Required with `belowThreshold`; a retry has had it. */
  notes?: string | undefined;
  retryOf?: string | undefined;
}

/** Creates a payout of what is payable to an affiliate in a program, up to the maximum of a payout, and enqueues its workflow. */
export const createPayout = (ctx: Context, input: CreatePayoutInput): Promise<Payout> =>
  inTransaction(ctx, async (ctx) => {
    if (input.belowThreshold && !input.notes && !input.retryOf) throw invalidField('notes', 'is required with belowThreshold');
    const { payable } = await lockBalance(ctx, input.affiliateId);
    const assess = await assessPayouts(ctx, [input]);
    const payment = await assess(input, payable);
    const { merchantId, currency, payoutApprovalThreshold } = payment.eligibility;
    const amounts = [{ currency, amount: payment.amount }];
    const needed = await needsApproval(ctx, { merchantId, amounts, payoutApprovalThreshold, by: actorName(ctx.actor) });
    const { notes, belowThreshold, retryOf } = input;
    const [payout] = await createPayouts(ctx, [{ payment, notes, belowThreshold, retryOf, needsApproval: needed }]);
    invariant(payout, 'a payment has a payout');
    return payout;
  });

/** A payment that was assessed, and what its payout keeps of who asked for it. */
export interface NewPayout extends Pick<CreatePayoutInput, 'notes' | 'belowThreshold' | 'retryOf'> {
  payment: AssessedPayout;
  needsApproval?: boolean;
  runId?: string;
  /** Set if its run was approved as a whole, when each payment showed this many minor units. */
  approved?: { by: { actor: string; at: Date }; shownMinor: number } | null;
}

type StoredPayout = NewPayout & { payout: Payout };

/** Payouts of one merchant that were assessed in the caller's transaction: statements for all of them. */
export const createPayouts = async (ctx: Context, created: readonly NewPayout[]): Promise<Payout[]> => {
  if (created.length === 0) return [];
  const stored = await storePayouts(ctx, created);
  const payouts = stored.map(({ payout }) => payout);
  await insertItems(ctx, stored.flatMap(itemsOf));
  await postTransfers(ctx, stored.map(transferOf));
  await addTimelineEntries(ctx, stored.flatMap(entriesOf));
  for (const { payout } of stored.filter((of) => of.needsApproval)) await askForApproval(ctx, payout, 0);
  await emit(
    ctx,
    payouts.map((payout) => {
      const { merchantId, programId } = payout;
      return { type: 'payout.created', merchantId, programId, data: toPayout(payout) };
    }),
  );
  await startPayoutWorkflows(ctx, payouts);
  return payouts;
};

/** Uses an entity manager of its own: otherwise each later statement of the transaction would compare what was made here. */
const storePayouts = async (ctx: Context, created: readonly NewPayout[]): Promise<StoredPayout[]> => {
  const em = ctx.em.fork({ keepTransactionContext: true });
  const stored = created.map((of) => ({ ...of, payout: makePayout({ ...ctx, em }, of) }));
  await flushPending(em);
  return stored;
};

const itemsOf = ({ payout: { id: payoutId }, payment }: StoredPayout) => payment.items.map((item) => ({ ...item, payoutId }));

const transferOf = ({ payout, payment }: StoredPayout) => {
  const { id: referenceId, merchantId, programId, affiliateId, currency, amount } = payout;
  const openAdjustments = -deductionsOf(payment.items);
  const owner = { merchantId, programId, affiliateId, currency };
  return { kind: 'payout_created', from: 'payable', to: 'in_payout', amount, referenceId, openAdjustments, ...owner } as const;
};

const entriesOf = ({ payout, payment, runId, retryOf, approved }: StoredPayout) => {
  const reason = runId ? 'run' : retryOf ? 'retry' : null;
  const created = { payout, type: 'created', to: 'pending', reason } as const;
  if (!approved) return [created];
  const note = `${formatMoney(approved.shownMinor, payout.currency)} to ${maskDestination(payment.details)}`;
  return [created, { payout, type: 'approved', by: approved.by, reason: 'run', note } as const];
};

const makePayout = (ctx: Context, { payment, needsApproval = false, ...given }: NewPayout): Payout => {
  const { eligibility, amount, details, rail, accountEnteredBy, accountEnteredAt } = payment;
  const id = ctx.ids.next();
  const createdAt = ctx.clock.now();
  return ctx.em.create(Payout, {
    id,
    merchantId: eligibility.merchantId,
    programId: eligibility.programId,
    affiliateId: eligibility.affiliateId,
    profileId: eligibility.profileId,
    ...namesOf(eligibility),
    paymentReference: eligibility.paymentReference,
    amount,
    currency: eligibility.currency,
    method: details.method,
    rail,
    details: ctx.cipher.encrypt(JSON.stringify(details), { table: 'payout', column: 'details', row: id }),
    destinationHash: destinationHash(ctx.cipher, details),
    accountEnteredBy,
    accountEnteredAt,
    notes: given.notes ?? null,
    belowThreshold: given.belowThreshold ?? false,
    retryOf: given.retryOf ?? null,
    payoutRunId: given.runId ?? null,
    createdBy: actorName(ctx.actor),
    approvalRequiredAt: needsApproval ? createdAt : null,
    createdAt,
  });
};

const namesOf = ({ affiliateCode, affiliateName, programName, paymentReference }: PayoutEligibility) => ({
  affiliateCode,
  affiliateName,
  programName,
  searchText: searchTextOf(affiliateCode, affiliateName, paymentReference),
});
