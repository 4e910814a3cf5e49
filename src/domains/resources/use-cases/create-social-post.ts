import { type Context, inTransaction } from '../../../platform/context.ts';
import { addResource, type NewResource } from '../new-resource.ts';
import { type ResourceView, toResource } from '../resources.wire.ts';

export const createSocialPost = (ctx: Context, input: NewResource): Promise<ResourceView> =>
  inTransaction(ctx, async (ctx) => toResource(await addResource(ctx, 'social_post', input)));
