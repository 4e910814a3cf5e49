import { portalUrlOf } from '../../../contracts/portals.ts';
import { after, MINUTE_MS } from '../../../platform/clock.ts';
import { type Context, callerOf, grantIdOf } from '../../../platform/context.ts';
import { conflict } from '../../../platform/errors.ts';
import { readOwned } from '../../../platform/ownership.ts';
import { findEmbed } from '../embed.queries.ts';
import type { EmbedTokenView } from '../embed.wire.ts';
import { signEmbedToken } from '../embed-token.steps.ts';

const LIFETIME_MS = 15 * MINUTE_MS;

/** Writes nothing. AFFILIATE_BLOCKED or AFFILIATE_ERASED for whoever would be shown nothing. */
export const createEmbedToken = async (ctx: Context, { affiliateId }: { affiliateId: string }): Promise<EmbedTokenView> => {
  const { status, isErased, ...program } = readOwned(ctx, 'Affiliate', await findEmbed(ctx, affiliateId));
  if (isErased) throw conflict('AFFILIATE_ERASED', 'The data of the affiliate was erased');
  if (status === 'blocked') throw conflict('AFFILIATE_BLOCKED', 'The affiliate is blocked');
  const expiresAt = after(ctx.clock.now(), LIFETIME_MS);
  const token = signEmbedToken(ctx, { affiliateId, grantId: grantIdOf(callerOf(ctx)), expiresAt });
  return {
    affiliateId,
    token,
    url: `${portalUrlOf(ctx.settings.publicUrl, program)}/embed?${new URLSearchParams({ token })}`,
    expiresAt: expiresAt.toISOString(),
  };
};
