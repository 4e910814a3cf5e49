import { recordChange } from '../../../platform/audit-log/record-change.ts';
import { after, DAY_MS } from '../../../platform/clock.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { replaceCode } from '../../affiliates/index.ts';
import type { AffiliateCodeView } from '../codes.wire.ts';
import { Link } from '../link.entity.ts';
import { findOwnCode, lockLinksOf, lockOwnLinks, type Membership } from '../links.queries.ts';
import { assertNotBlocked } from '../lock-link.ts';

/** Changes the caller's code in a program, which may be left out by an affiliate of one program. */
export const changeMyCode = (ctx: Context, input: { programId: string | undefined; code: string }): Promise<AffiliateCodeView> =>
  inTransaction(ctx, async (ctx) => {
    const membership = await lockOwnLinks(ctx, input.programId);
    assertNotBlocked(membership);
    return (await changeCode(ctx, membership, input.code)).view;
  });

/** Changes the code of an affiliate of the merchant. */
export const changeAffiliateCode = (ctx: Context, input: { affiliateId: string; code: string }): Promise<AffiliateCodeView> =>
  inTransaction(ctx, async (ctx) => {
    const membership = await lockLinksOf(ctx, input.affiliateId);
    const { view, previous } = await changeCode(ctx, membership, input.code);
    if (view.code === previous) return view;
    const { merchantId: ownerId, affiliateId: resourceId } = membership;
    const [before, after] = [{ code: previous }, { code: view.code }];
    await recordChange(ctx, { ownerId, action: 'affiliate.updated', resourceId, before, after });
    return view;
  });

/** The first link follows, while it exists. The caller's lock on the links keeps others from creating one meanwhile. */
const changeCode = async (
  ctx: Context,
  { affiliateId, programId }: Membership,
  requested: string,
): Promise<{ view: AffiliateCodeView; previous: string }> => {
  const own = await findOwnCode(ctx, affiliateId);
  const link = own.linkId === null ? null : await ctx.em.findOne(Link, { id: own.linkId, deletedAt: null });
  const { code, previous, changedAt } = await replaceCode(ctx, { affiliateId, requested, linkId: link?.id ?? null });
  if (code !== previous) link?.followCode(code, ctx.clock.now());
  const changeableAt = changedAt === null ? null : after(changedAt, ctx.settings.scaled(DAY_MS)).toISOString();
  return { view: { affiliateId, programId, code, changeableAt }, previous };
};
