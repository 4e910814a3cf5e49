import type { FlagResolution } from '../../../contracts/flags.ts';
import { type Context, callerOf, inTransaction } from '../../../platform/context.ts';
import { conflict } from '../../../platform/errors.ts';
import { blockAffiliate } from '../../affiliates/index.ts';
import { getFlagOwner } from '../flags.queries.ts';
import { type FlagView, toFlag } from '../flags.wire.ts';
import { applyResolution, lockFlag } from '../resolution.ts';

export interface ResolveFlagInput {
  id: string;
  status: FlagResolution;
  note?: string | undefined;
  /** Only with `confirmed`. */
  blockAffiliate: boolean;
}

/** Throws ALREADY_RESOLVED on the second call, and when the deadline was faster. */
export const resolveFlag = (ctx: Context, input: ResolveFlagInput): Promise<FlagView> =>
  inTransaction(ctx, async (ctx) => {
    const owner = await getFlagOwner(ctx, input.id);
    const flag = await lockFlag(ctx, owner, { confirms: input.status === 'confirmed' });
    if (flag.status !== 'open')
      throw conflict('ALREADY_RESOLVED', 'The flag has already been resolved', {
        status: flag.status,
        resolvedAt: flag.resolvedAt?.toISOString(),
      });
    if (input.note !== undefined) flag.note = input.note;
    if (input.blockAffiliate) await blockAffiliate(ctx, { id: owner.affiliateId, reason: 'A flag was confirmed' });
    await applyResolution(ctx, flag, input.status, callerOf(ctx).keyId);
    return toFlag(flag);
  });
