import { LockMode } from '@mikro-orm/core';
import type { Context } from '../../platform/context.ts';
import { lockMembership } from '../affiliates/index.ts';
import { lockBalance } from '../ledger/index.ts';
import { Flag } from './flag.entity.ts';
import type { FlagOwner } from './flags.queries.ts';

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
  return ctx.em.findOneOrFail(Flag, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
};
