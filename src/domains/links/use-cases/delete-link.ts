import { type Context, inTransaction } from '../../../platform/context.ts';
import { type LinkView, toLink } from '../links.wire.ts';
import { lockLink } from '../lock-link.ts';

/** Its code stays reserved, and sales that name it are still credited to the affiliate. */
export const deleteLink = (ctx: Context, input: { id: string; programId: string | undefined }): Promise<LinkView> =>
  inTransaction(ctx, async (ctx) => {
    const { link, membership, totalClicks } = await lockLink(ctx, input);
    link.delete(ctx.clock.now());
    return toLink(link, { terms: membership, publicUrl: ctx.settings.publicUrl, totalClicks });
  });
