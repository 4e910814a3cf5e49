import type { FailedRules } from '../../../contracts/screening.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { faultPoint } from '../../../platform/fault-points.ts';
import { SCREENING } from '../../conversions/index.ts';
import { collectFindings } from '../collect-findings.ts';
import { linkToClickFlags } from '../link-to-click-flags.ts';
import { announceFlags, type RaiseFlagInput, storeFlags } from '../raise-flag.ts';
import { countUnscreened, listAffiliateFacts, lockShard } from '../screening.queries.ts';

export interface ScreenedBatch {
  screened: number;
  failedRules: FailedRules;
  /** Whether there may be more to screen. */
  more: boolean;
}

/** Sales of the affiliates wait until all flags of a transaction are stored. */
const MAX_FLAGS = 4;

/**
 * Screens the oldest conversions of a shard in one transaction: at most `limit`, fewer when the rules find much. Then approves
 * those whose hold period is over. Calls for one shard wait for each other, so that the conversions of an affiliate are screened
 * in their order, each once.
 */
export const screenConversions = async (
  ctx: Context,
  { shard, limit }: { shard: number; limit: number },
): Promise<ScreenedBatch> => {
  const { due, ...batch } = await screenFew(ctx, shard, limit);
  if (batch.screened > 0) faultPoint('screening:after-commit');
  await SCREENING.releaseScreened(ctx, due);
  return batch;
};

/** Rolls a batch back, because its first `limit` conversions are enough for one transaction. */
class TooManyFlags extends Error {
  readonly limit: number;

  constructor(limit: number) {
    super(`more than ${MAX_FLAGS} flags in one transaction`);
    this.limit = limit;
  }
}

const screenFew = async (ctx: Context, shard: number, limit: number): ReturnType<typeof screenBatch> => {
  try {
    return await screenBatch(ctx, shard, limit);
  } catch (error) {
    if (error instanceof TooManyFlags) return screenFew(ctx, shard, error.limit);
    throw error;
  }
};

const screenBatch = async (ctx: Context, shard: number, limit: number) =>
  inTransaction(ctx, async (ctx) => {
    await lockShard(ctx, shard);
    const found = await countUnscreened(ctx, shard, limit);
    if (found.length === 0) return { screened: 0, failedRules: {}, more: false, due: [] };
    const ids = found.map(({ id }) => id);
    const affiliates = await listAffiliateFacts(ctx, [...new Set(found.map(({ affiliateId }) => affiliateId))]);
    const { flags, failedRules } = collectFindings(ctx, found, affiliates);
    const enough = lengthWithFewFlags(ids, flags);
    if (enough < ids.length) throw new TooManyFlags(enough);
    const stored = await storeFlags(ctx, flags);
    // Clicks are screened under the lock of the shard, so no such flag comes between.
    if (affiliates.some(({ hasClickFlag }) => hasClickFlag)) await linkToClickFlags(ctx, ids);
    const due = await SCREENING.markScreened(ctx, ids);
    await announceFlags(ctx, stored);
    faultPoint('screening:before-commit');
    return { screened: found.length, failedRules, more: found.length === limit, due };
  });

/** How many of the conversions, from the first on, have at most `MAX_FLAGS` flags. At least one: its flags are never split. */
const lengthWithFewFlags = (ids: readonly string[], flags: readonly RaiseFlagInput[]): number => {
  const firstOf = flags.map(({ conversionIds }) => ids.findIndex((id) => conversionIds.includes(id))).sort((a, b) => a - b);
  return Math.max(firstOf[MAX_FLAGS] ?? ids.length, 1);
};
