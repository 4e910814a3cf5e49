import { type Context, type EventListener, inTransaction, onEach } from '../../../platform/context.ts';
import { invalidField } from '../../../platform/errors.ts';
import { shareCode } from '../../affiliates/index.ts';
import { addLink } from '../add-link.steps.ts';
import { DESTINATION_RULES, readTargetUrl } from '../destination.rules.ts';
import { Link, type LinkChanges } from '../link.entity.ts';
import { lockLinksOf, lockOwnLinks, type Membership } from '../links.queries.ts';
import { type LinkView, toLink } from '../links.wire.ts';
import { lockLink } from '../lock-link.steps.ts';

export interface CreateLinkInput {
  /** May be omitted by an affiliate of one program. */
  programId: string | undefined;
  name: string;
  destinationPath: string | undefined;
  /** The link's code; random when omitted. */
  customSlug: string | undefined;
}

/** Creates a link of the caller. */
export const createLink = (ctx: Context, { programId, destinationPath: path, ...link }: CreateLinkInput): Promise<LinkView> =>
  inTransaction(ctx, async (ctx) =>
    addLink(ctx, await lockOwnLinks(ctx, programId), { ...link, destination: { path, field: 'destination_path' } }),
  );

export interface CreateAffiliateLinkInput {
  affiliateId: string;
  name: string;
  destinationPath?: string | undefined;
  /** The link's code; random when omitted. */
  customSlug?: string | undefined;
}

/** Creates a link of an affiliate of the merchant. */
export const createAffiliateLink = (ctx: Context, input: CreateAffiliateLinkInput): Promise<LinkView> =>
  inTransaction(ctx, async (ctx) => {
    const { affiliateId, name, destinationPath: path, customSlug } = input;
    const destination = { path, field: 'destinationPath' };
    return addLink(ctx, await lockLinksOf(ctx, affiliateId), { name, destination, customSlug });
  });

export interface UpdateLinkInput {
  id: string;
  programId: string | undefined;
  changes: LinkChanges;
}

/** Applies the values that differ. The code changes with that of the affiliate only. */
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

/** Its code stays reserved, and sales that name it are still credited to the affiliate. */
export const deleteLink = (ctx: Context, input: { id: string; programId: string | undefined }): Promise<LinkView> =>
  inTransaction(ctx, async (ctx) => {
    const { link, membership, totalClicks } = await lockLink(ctx, input);
    link.delete(ctx.clock.now());
    return toLink(link, { terms: membership, publicUrl: ctx.settings.publicUrl, totalClicks });
  });

const NAME = 'Default link';

/** Gives a new affiliate a link to the program's default page, with their own code, in the transaction that creates the membership. */
export const createFirstLink: EventListener = onEach(async (ctx, event) => {
  if (event.type !== 'affiliate.approved') return;
  const { id: affiliateId, programId, code } = event.data;
  const id = ctx.ids.next();
  const now = ctx.clock.now();
  await shareCode(ctx, { affiliateId, code, linkId: id });
  ctx.em.create(Link, {
    id,
    merchantId: event.merchantId,
    programId,
    affiliateId,
    name: NAME,
    code,
    targetUrl: null,
    createdAt: now,
    updatedAt: now,
  });
});
