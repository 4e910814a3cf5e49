import type { Context } from '../../../platform/context.ts';
import { conflict } from '../../../platform/errors.ts';
import { getAffiliate } from '../affiliates.queries.ts';
import type { AffiliateView } from '../affiliates.wire.ts';

/** Changes nothing: an affiliate exists once an application is approved. AFFILIATE_BLOCKED for a blocked one. */
export const approveAffiliate = async (ctx: Context, input: { id: string }): Promise<AffiliateView> => {
  const affiliate = await getAffiliate(ctx, input.id, false);
  if (affiliate.status === 'blocked') throw conflict('AFFILIATE_BLOCKED', 'The affiliate is blocked: unblock it instead');
  return affiliate;
};
