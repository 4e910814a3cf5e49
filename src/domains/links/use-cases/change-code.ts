import { recordChange } from '../../../platform/audit-log/record-change.ts';
import { after, DAY_MS } from '../../../platform/clock.ts';
import { type Context, findCaller, inTransaction } from '../../../platform/context.ts';
import { replaceCode } from '../../affiliates/index.ts';
import type { AffiliateCodeView } from '../codes.wire.ts';
import { Link } from '../link.entity.ts';
import { findOwnCode, lockLinksOf, lockOwnLinks, type Membership } from '../links.queries.ts';
import { assertNotBlocked } from '../lock-link.steps.ts';

/** Changes the caller's code in a program, which may be left out by an affiliate of one program. */
export const changeMyCode = (ctx: Context, input: { programId: string | undefined; code: string }): Promise<AffiliateCodeView> =>
  inTransaction(ctx, async (ctx) => {
    const membership = await lockOwnLinks(ctx, input.programId);
    assertNotBlocked(membership);
    return changeCode(ctx, membership, input.code);
  });

/** Changes the code of an affiliate of the merchant. */
export const changeAffiliateCode = (ctx: Context, input: { affiliateId: string; code: string }): Promise<AffiliateCodeView> =>
  inTransaction(ctx, async (ctx) => changeCode(ctx, await lockLinksOf(ctx, input.affiliateId), input.code));

/**
 * The first link follows, while it exists, and the merchant's audit log says who changed the code. The caller's lock on the links keeps
 * others from creating one meanwhile.
 */
const changeCode = async (ctx: Context, membership: Membership, requested: string): Promise<AffiliateCodeView> => {
  const { affiliateId, programId, merchantId: ownerId } = membership;
  const own = await findOwnCode(ctx, affiliateId);
  const link = own.linkId === null ? null : await ctx.em.findOne(Link, { id: own.linkId, deletedAt: null });
  const { code, previous, changedAt } = await replaceCode(ctx, { affiliateId, requested, linkId: link?.id ?? null });
  if (code !== previous) link?.followCode(code, ctx.clock.now());
  const changeableAt = changedAt === null ? null : after(changedAt, ctx.settings.scaled(DAY_MS)).toISOString();
  // The code before may be made of a name, and stays here for ever.
  if (code !== previous)
    await recordChange(asAffiliate(ctx), { ownerId, action: 'affiliate.updated', resourceId: affiliateId, after: { code } });
  return { affiliateId, programId, code, changeableAt };
};

/** The merchant may not know the name of the person, or of their key. */
const asAffiliate = (ctx: Context): Context =>
  findCaller(ctx.actor)?.keyType === 'affiliate' ? { ...ctx, actor: { kind: 'system', name: 'affiliate' } } : ctx;
