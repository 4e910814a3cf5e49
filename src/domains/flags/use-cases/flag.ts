import type { FlagResolution } from '../../../contracts/flags.ts';
import { recordChange } from '../../../platform/audit-log/record-change.ts';
import { type Context, callerIdOf, callerOf, inTransaction, merchantOf } from '../../../platform/context.ts';
import { conflict, invalidField } from '../../../platform/errors.ts';
import { readOwned } from '../../../platform/ownership.ts';
import { blockAffiliate, readOwnedAffiliate } from '../../affiliates/index.ts';
import { findForeignConversion, getFlag, getFlagOwner } from '../flags.queries.ts';
import { type FlagView, toFlag } from '../flags.wire.ts';
import { raiseFlag } from '../raise-flag.steps.ts';
import { applyResolution, lockFlag } from '../resolution.steps.ts';

interface CreateFlagInput {
  affiliateId: string;
  conversionIds: readonly string[];
  note: string;
}

/** Flags an affiliate manually, or adds to the open flag of this kind. */
export const createFlag = (ctx: Context, { affiliateId, conversionIds, note }: CreateFlagInput): Promise<FlagView> =>
  inTransaction(ctx, async (ctx) => {
    const merchantId = merchantOf(ctx);
    const { programId } = await readOwnedAffiliate(ctx, affiliateId);
    await assertConversionsOf(ctx, { affiliateId, conversionIds });
    const { flagId } = await raiseFlag(ctx, {
      affiliateId,
      programId,
      merchantId,
      type: 'manual_review',
      details: { note },
      conversionIds,
      note,
    });
    await recordChange(ctx, {
      ownerId: merchantId,
      action: 'flag.created',
      resourceId: flagId,
      after: { affiliateId, conversions: conversionIds.length },
      hidden: ['note'],
    });
    return getFlag(ctx, flagId);
  });

/** 404 for a missing conversion, 403 for one of another merchant, 422 for one of another affiliate. */
const assertConversionsOf = async (
  ctx: Context,
  { affiliateId, conversionIds }: Pick<CreateFlagInput, 'affiliateId' | 'conversionIds'>,
): Promise<void> => {
  if (conversionIds.length === 0) return;
  const foreign = await findForeignConversion(ctx, affiliateId, conversionIds);
  if (!foreign) return;
  readOwned(ctx, 'Conversion', foreign.merchantId === null ? null : { merchantId: foreign.merchantId });
  throw invalidField('conversionIds', `contains ${foreign.id}, which is not a conversion of the affiliate`);
};

interface ResolveFlagInput {
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
    await applyResolution(ctx, flag, input.status, callerIdOf(callerOf(ctx)));
    return toFlag(flag);
  });
