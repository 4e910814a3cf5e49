import { MAX_LINK_CODES_PER_AFFILIATE, MAX_LINKS_PER_AFFILIATE } from '../../contracts/limits.ts';
import type { Context } from '../../platform/context.ts';
import { conflict, invalidField } from '../../platform/errors.ts';
import { reserveLinkCode } from '../affiliates/index.ts';
import { DESTINATION_RULES, readDestinationPath } from './destination.rules.ts';
import { Link } from './link.entity.ts';
import { countLinks, type Membership } from './links.queries.ts';
import { type LinkView, toLink } from './links.wire.ts';
import { assertNotBlocked } from './lock-link.steps.ts';

export interface NewLink {
  name: string;
  /** `field`: the name of the path in the request. */
  destination: { path: string | undefined; field: string };
  /** The link's code; random when omitted. */
  customSlug: string | undefined;
}

/** Creates an active link. The caller's lock on the links of the membership enforces the limit for concurrent requests. */
export const addLink = async (ctx: Context, membership: Membership, input: NewLink): Promise<LinkView> => {
  assertNotBlocked(membership);
  const targetUrl = targetOf(membership, input.destination);
  await assertBelowLimit(ctx, membership);
  const id = ctx.ids.next();
  const { affiliateId, programId, merchantId } = membership;
  const code = await reserveLinkCode(ctx, { affiliateId, linkId: id, customSlug: input.customSlug });
  const now = ctx.clock.now();
  const link = ctx.em.create(Link, {
    id,
    merchantId,
    programId,
    affiliateId,
    name: input.name,
    code,
    targetUrl,
    isActive: true,
    createdAt: now,
    updatedAt: now,
  });
  return toLink(link, { terms: membership, publicUrl: ctx.settings.publicUrl, totalClicks: 0 });
};

const targetOf = (membership: Membership, { path, field }: NewLink['destination']): string | null => {
  if (path === undefined) return null;
  const read = readDestinationPath(membership, path);
  if ('broken' in read) throw invalidField(field, DESTINATION_RULES[read.broken], read.broken);
  return read.url;
};

const assertBelowLimit = async (ctx: Context, { affiliateId }: Membership): Promise<void> => {
  const { existing, ever } = await countLinks(ctx, affiliateId);
  if (existing >= MAX_LINKS_PER_AFFILIATE) {
    throw conflict('TOO_MANY_LINKS', 'The affiliate has the maximum number of links. Delete one before creating another', {
      limit: MAX_LINKS_PER_AFFILIATE,
    });
  }
  if (ever >= MAX_LINK_CODES_PER_AFFILIATE) {
    throw conflict('TOO_MANY_LINKS', 'The affiliate has created the maximum number of links, including deleted ones', {
      limit: MAX_LINK_CODES_PER_AFFILIATE,
    });
  }
};
