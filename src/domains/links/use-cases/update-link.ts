import { type Context, inTransaction } from '../../../platform/context.ts';
import { invalidField } from '../../../platform/errors.ts';
import { DESTINATION_RULES, readTargetUrl } from '../destination.ts';
import type { LinkChanges } from '../link.entity.ts';
import type { Membership } from '../links.queries.ts';
import { type LinkView, toLink } from '../links.wire.ts';
import { lockLink } from '../lock-link.ts';

export interface UpdateLinkInput {
  id: string;
  programId: string | undefined;
  changes: LinkChanges;
}

/** Applies the values that differ. The code never changes. */
export const updateLink = (ctx: Context, { changes, ...input }: UpdateLinkInput): Promise<LinkView> =>
  inTransaction(ctx, async (ctx) => {
    const { link, membership, totalClicks } = await lockLink(ctx, input);
    link.change({ ...changes, targetUrl: targetOf(membership, changes.targetUrl) }, ctx.clock.now());
    return toLink(link, { terms: membership, publicUrl: ctx.settings.publicUrl, totalClicks });
  });

const targetOf = (membership: Membership, targetUrl: string | null | undefined): string | null | undefined => {
  if (targetUrl === null || targetUrl === undefined) return targetUrl;
  const read = readTargetUrl(membership, targetUrl);
  if ('broken' in read) throw invalidField('targetUrl', DESTINATION_RULES[read.broken], read.broken);
  return read.url;
};
