import { after, DAY_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { conflict } from '../../platform/errors.ts';
import { Affiliate } from './affiliate.entity.ts';
import { lockMembership } from './affiliate-lookup.queries.ts';
import { AffiliateProfile } from './affiliate-profile.entity.ts';
import { reserveCode } from './reserve-code.steps.ts';

export interface ReplacedCode {
  previous: string;
  code: string;
  changedAt: Date | null;
}

/**
 * Gives an affiliate another code. Earlier codes stay theirs, and keep counting. CODE_CHANGED_RECENTLY within a day of the last change,
 * CODE_TAKEN for somebody else's code. The caller has checked who may do it.
 */
export const replaceCode = async (
  ctx: Context,
  { affiliateId, requested, linkId }: { affiliateId: string; requested: string; linkId: string | null },
): Promise<ReplacedCode> => {
  await lockMembership(ctx, affiliateId, 'change');
  const affiliate = await ctx.em.findOneOrFail(Affiliate, { id: affiliateId }, { refresh: true });
  const { code: previous, codeChangedAt } = affiliate;
  if (requested === previous) return { previous, code: previous, changedAt: codeChangedAt ?? null };
  const now = ctx.clock.now();
  const changeableAt = codeChangedAt && after(codeChangedAt, ctx.settings.scaled(DAY_MS));
  if (changeableAt && now < changeableAt) {
    throw conflict('CODE_CHANGED_RECENTLY', 'The code was changed less than a day ago', {
      changeableAt: changeableAt.toISOString(),
    });
  }
  const code = await reserveCode(ctx, { affiliateId, requested, linkId });
  const profile = await ctx.em.findOneOrFail(AffiliateProfile, { id: affiliate.profileId });
  affiliate.changeCode(code, profile, now);
  return { previous, code, changedAt: now };
};
