import { LockMode } from '@mikro-orm/core';
import type { Context } from '../../platform/context.ts';
import { conflict, notFound } from '../../platform/errors.ts';
import { readOwned } from '../../platform/ownership.ts';
import { Link } from './link.entity.ts';
import { getLinkMembership, type Membership } from './links.queries.ts';

export interface LockedLink {
  link: Link;
  membership: Membership;
  totalClicks: number;
}

/**
 * The caller's link, locked until the transaction ends. NOT_FOUND for a missing or deleted link and for one of another
 * program than the given one, FORBIDDEN for another person's, AFFILIATE_BLOCKED while the affiliate is blocked.
 */
export const lockLink = async (
  ctx: Context,
  { id, programId }: { id: string; programId: string | undefined },
): Promise<LockedLink> => {
  const link = await ctx.em.findOne(Link, { id, deletedAt: null }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!link) throw notFound('Link');
  const { totalClicks, ...membership } = readOwned(ctx, 'Link', await getLinkMembership(ctx, id));
  if (programId !== undefined && programId !== link.programId) throw notFound('Link');
  assertNotBlocked(membership);
  return { link, membership, totalClicks };
};

export const assertNotBlocked = ({ status }: Membership): void => {
  if (status === 'blocked') throw conflict('AFFILIATE_BLOCKED', 'The affiliate is blocked');
};
