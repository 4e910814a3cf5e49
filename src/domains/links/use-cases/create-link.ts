import { type Context, inTransaction } from '../../../platform/context.ts';
import { addLink } from '../add-link.ts';
import { lockLinksOf, lockOwnLinks } from '../links.queries.ts';
import type { LinkView } from '../links.wire.ts';

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
