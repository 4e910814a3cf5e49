import type { Context } from '../../platform/context.ts';
import { findDueConversionsOf } from './due-conversions.queries.ts';
import { lookAgain } from './hold-back.ts';
import { releaseForAffiliate } from './release-for-affiliate.ts';

/** Keeps the request short: the scheduled release approves the rest. */
const MAX_IN_REQUEST = 200;

/** Approves what became due while something held it, in the caller's transaction. The caller holds the membership's lock. */
export const releaseDueConversions = async (ctx: Context, affiliateId: string): Promise<void> => {
  const due = await findDueConversionsOf(ctx, affiliateId, MAX_IN_REQUEST);
  if (due.length === 0) return;
  const released = await releaseForAffiliate(ctx, affiliateId, due);
  if (released < due.length || due.length === MAX_IN_REQUEST) await lookAgain(ctx, affiliateId);
};
