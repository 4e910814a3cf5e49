import type { Context } from '../../platform/context.ts';
import type { Invite } from './invite.entity.ts';

/** One more person claimed the invite. The caller has locked it, and seen that it can be claimed. */
export const recordInviteUse = async (ctx: Context, invite: Invite): Promise<void> => {
  invite.use();
  await ctx.em.flush();
};
