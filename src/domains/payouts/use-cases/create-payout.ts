import type { PayoutMethod } from '../../../contracts/affiliates.ts';
import { actorName, type Context, callerOf, inTransaction } from '../../../platform/context.ts';
import { execute, sql } from '../../../platform/database/sql.ts';
import { conflict, forbidden, invalidField, notFound } from '../../../platform/errors.ts';
import { decryptPayoutDetails } from '../../affiliates/index.ts';
import { type PayableItem, payableItems } from '../../conversions/index.ts';
import { lockBalance, postTransfer } from '../../ledger/index.ts';
import { getProgramOf } from '../../programs/index.ts';
import { Payout } from '../payout.entity.ts';
import { findPayoutEligibility, type PayoutEligibility } from '../payout-state.queries.ts';
import { emitPayoutEvent } from '../payout-transitions.ts';
import { startPayoutWorkflow } from '../payout-workflow.ts';
import { addTimelineEntry } from '../timeline.ts';

export interface CreatePayoutInput {
  affiliateId: string;
  programId: string;
  method?: PayoutMethod | undefined;
  notes?: string | undefined;
  retryOf?: string | undefined;
}

const sum = (items: readonly PayableItem[]): number => items.reduce((total, item) => total + item.amount, 0);

/** Takes everything that is payable to this affiliate in this program, and asks for its story to begin. */
export const createPayout = (ctx: Context, input: CreatePayoutInput): Promise<Payout> =>
  inTransaction(ctx, async (ctx) => {
    await lockBalance(ctx, input.affiliateId);
    const found = await ownCase(ctx, input);
    if (found.affiliateStatus === 'blocked') throw conflict('AFFILIATE_BLOCKED', 'This affiliate is blocked');
    if (found.inFlight)
      throw conflict('PAYOUT_IN_FLIGHT', 'A payout to this affiliate is under way', { payoutId: found.inFlight });
    const items = await payableItems(ctx, input.affiliateId);
    const amount = payableAmount(items, found);
    const details = await decryptPayoutDetails(ctx, { profileId: found.profileId, method: input.method });
    if (!details)
      throw conflict('PAYOUT_DETAILS_MISSING', 'This affiliate has not said where to be paid', { method: input.method ?? null });
    const id = ctx.ids.next();
    const now = ctx.clock.now();
    const payout = ctx.em.create(Payout, {
      id,
      merchantId: found.merchantId,
      programId: found.programId,
      affiliateId: input.affiliateId,
      amount,
      currency: found.currency,
      status: 'pending',
      method: details.method,
      rail: ctx.settings.railOf[details.method],
      details: ctx.cipher.encrypt(JSON.stringify(details), { table: 'payout', column: 'details', row: id }),
      notes: input.notes ?? null,
      retryOf: input.retryOf ?? null,
      needsAttention: false,
      failureCode: null,
      createdBy: actorName(ctx.actor),
      createdAt: now,
      processingAt: null,
      completedAt: null,
      failedAt: null,
      updatedAt: now,
    });
    await ctx.em.flush();
    await reserveItems(ctx, payout, items);
    await addTimelineEntry(ctx, payout, {
      what: input.retryOf ? 'created as a retry' : 'created',
      to: 'pending',
      reason: input.retryOf ?? null,
    });
    await emitPayoutEvent(ctx, payout, 'payout.created');
    await startPayoutWorkflow(ctx, payout);
    return payout;
  });

const ownCase = async (ctx: Context, input: CreatePayoutInput): Promise<PayoutEligibility> => {
  const { ownerId } = callerOf(ctx);
  const found = await findPayoutEligibility(ctx, input.affiliateId);
  if (!found) throw notFound('Affiliate');
  if (found.merchantId !== ownerId) throw forbidden();
  if (found.programId === input.programId) return found;
  await getProgramOf(ctx, input.programId, ownerId);
  throw invalidField('affiliateId', 'is not a member of this program');
};

const payableAmount = (items: readonly PayableItem[], { threshold }: PayoutEligibility): number => {
  const payable = sum(items);
  if (payable <= 0) throw conflict('NOTHING_PAYABLE', 'Nothing is payable to this affiliate', { payable });
  if (payable < threshold)
    throw conflict('BELOW_THRESHOLD', 'The payable amount is below the payout threshold', { payable, threshold });
  return payable;
};

/** The unique index on active items is the last word on "paid once". */
const reserveItems = async (ctx: Context, payout: Payout, items: readonly PayableItem[]): Promise<void> => {
  await execute(
    ctx.em,
    sql`insert into payout_item (payout_id, kind, subject_id, amount)
      select ${payout.id}::uuid, kind, "subjectId", amount
      from jsonb_to_recordset(${JSON.stringify(items)}::jsonb) as item (kind text, "subjectId" uuid, amount bigint)`,
  );
  await postTransfer(ctx, {
    kind: 'payout_created',
    from: 'payable',
    to: 'in_payout',
    amount: payout.amount,
    currency: payout.currency,
    merchantId: payout.merchantId,
    programId: payout.programId,
    affiliateId: payout.affiliateId,
    referenceId: payout.id,
    openAdjustments: sum(items.filter((item) => item.kind === 'adjustment')),
  });
};
