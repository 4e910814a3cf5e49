import type { Context } from '../../../platform/context.ts';
import { assertNoFolder } from '../new-resource.ts';
import type { ResourceView } from '../resources.wire.ts';
import { type UpdateMarketingResourceInput, updateMarketingResource } from './update-marketing-resource.ts';

/** Applies the values that differ. NOT_FOUND for a resource of another kind. */
export const updateSocialPost = async (
  ctx: Context,
  { folderId, ...input }: Omit<UpdateMarketingResourceInput, 'kind'> & { folderId: string | null | undefined },
): Promise<ResourceView> => {
  assertNoFolder(folderId);
  return updateMarketingResource(ctx, { ...input, kind: 'social_post' });
};
