import { type EventListener, onEach } from '../../platform/context.ts';
import { reserveLinkCode } from '../affiliates/index.ts';
import { Link } from './link.entity.ts';

const NAME = 'Default link';

/** Gives a new affiliate a link to the program's default page, in the transaction that creates the membership. */
export const createFirstLink: EventListener = onEach(async (ctx, event) => {
  if (event.type !== 'affiliate.approved') return;
  const { id: affiliateId, programId } = event.data;
  const id = ctx.ids.next();
  const now = ctx.clock.now();
  ctx.em.create(Link, {
    id,
    merchantId: event.merchantId,
    programId,
    affiliateId,
    name: NAME,
    code: await reserveLinkCode(ctx, { affiliateId, linkId: id, customSlug: undefined }),
    targetUrl: null,
    createdAt: now,
    updatedAt: now,
  });
});
