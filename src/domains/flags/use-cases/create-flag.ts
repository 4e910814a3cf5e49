import { type Context, inTransaction, merchantOf } from '../../../platform/context.ts';
import { invalidField } from '../../../platform/errors.ts';
import { readOwned } from '../../../platform/ownership.ts';
import { readOwnedAffiliate } from '../../affiliates/index.ts';
import { findForeignConversion, getFlag } from '../flags.queries.ts';
import type { FlagView } from '../flags.wire.ts';
import { raiseFlag } from '../raise-flag.ts';

export interface CreateFlagInput {
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
