import type { FlagResolution } from '../../contracts/flags.ts';
import { recordChange } from '../../platform/audit-log/record-change.ts';
import { type Context, emit } from '../../platform/context.ts';
import { rows } from '../../platform/database/sql.ts';
import { lockOwned } from '../../platform/ownership.ts';
import { lockMembership, resetTrust } from '../affiliates/index.ts';
import { approveDueConversions, rejectConversions } from '../conversions/index.ts';
import { lockBalance } from '../ledger/index.ts';
import { db } from '../tables.ts';
import { Flag } from './flag.entity.ts';
import { findOpenPayout, RETAINED } from './flag-state.queries.ts';
import { signalFlagWorkflow } from './flag-workflow.steps.ts';
import type { FlagOwner } from './flags.queries.ts';
import { toFlag } from './flags.wire.ts';

/**
 * Locks membership, balance and flag, in the order of every other transaction: a resolution approves or rejects commissions. To
 * confirm a flag changes the membership.
 */
export const lockFlag = async (
  ctx: Context,
  { id, affiliateId }: FlagOwner,
  { confirms }: { confirms: boolean },
): Promise<Flag> => {
  await lockMembership(ctx, affiliateId, confirms ? 'change' : 'read');
  await lockBalance(ctx, affiliateId);
  return lockOwned(ctx, 'Flag', Flag, { id });
};

/** Commissions that one transaction rejects: bounds the time for which sales of the affiliate wait for the balance. */
const BATCH = 100;

/**
 * Resolves an open flag. `by` is the id of a key; null for the deadline. Many commissions are rejected after the commit, by
 * the workflow, and stay on hold until then. The caller holds the locks of `lockFlag`.
 */
export const applyResolution = async (ctx: Context, flag: Flag, status: FlagResolution, by: string | null): Promise<void> => {
  flag.resolve(status, by, ctx.clock.now());
  await recordChange(ctx, {
    ownerId: flag.merchantId,
    action: 'flag.resolved',
    resourceId: flag.id,
    before: { status: 'open' },
    after: { status, affiliateId: flag.affiliateId },
  });
  if (status === 'confirmed') await confirm(ctx, flag);
  else await approveDueConversions(ctx, flag.affiliateId);
  const { merchantId, programId } = flag;
  await emit(ctx, { type: 'flag.resolved', merchantId, programId, data: toFlag(flag) });
  await signalFlagWorkflow(ctx, flag.id);
};

const confirm = async (ctx: Context, flag: Flag): Promise<void> => {
  await resetTrust(ctx, flag.affiliateId);
  await rejectBatch(ctx, flag);
};

/**
 * Rejects some of the commissions that a confirmed flag holds, and ends the hold when none is left. One in a payout that is
 * not completed yet stays held: it is rejected once that payout fails. Returns whether another batch is needed now. The
 * caller holds the locks of `lockFlag`.
 */
export const rejectBatch = async (ctx: Context, flag: Flag): Promise<boolean> => {
  const held = await rows(
    ctx.em,
    db
      .selectFrom('flag_conversion as l')
      .innerJoin('conversion as c', 'c.id', 'l.conversionId')
      .select('c.id')
      .where('l.flagId', '=', flag.id)
      .where('c.includedIn', 'is', null)
      .where(RETAINED)
      .orderBy('c.id')
      .limit(BATCH),
  );
  const ids = held.map(({ id }) => id);
  await rejectConversions(ctx, { affiliateId: flag.affiliateId, ids, reason: 'FLAG_CONFIRMED' });
  if (ids.length === BATCH) return true;
  const open = await findOpenPayout(ctx, flag.id);
  // Without an attempt, it fails because of what it holds.
  if (open?.status === 'pending') await ctx.onHold(ctx, flag.affiliateId);
  if (!open) flag.endHold(ctx.clock.now());
  return false;
};
