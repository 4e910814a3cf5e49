import { DISCLOSURE } from '../../../contracts/resources.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { notFound } from '../../../platform/errors.ts';
import { getShareUrl } from '../../links/index.ts';
import { findProgram } from '../../programs/index.ts';
import { renderText } from '../render-text.rules.ts';
import { getMembership, getMyMarketingResource } from '../resources.queries.ts';

export interface RenderSocialPostInput {
  id: string;
  programId: string;
  /** Default: the caller's oldest active link. */
  linkId: string | undefined;
}

/** The text of a post or swipe copy with the caller's own link and code in place of the placeholders. Changes nothing. */
export const renderSocialPost = (ctx: Context, input: RenderSocialPostInput): Promise<{ body: string; disclosure: string }> =>
  inTransaction(ctx, async (ctx) => {
    const { id, programId, linkId } = input;
    const { body } = await getMyMarketingResource(ctx, { id, programId });
    if (body === null) throw notFound('Social post');
    const affiliate = await getMembership(ctx, programId);
    const program = await findProgram(ctx, programId);
    const values = {
      affiliate_link: await getShareUrl(ctx, { affiliateId: affiliate.id, linkId }),
      affiliate_code: affiliate.code,
      program_name: program?.name ?? '',
    };
    return { body: renderText(body, values), disclosure: DISCLOSURE };
  });
