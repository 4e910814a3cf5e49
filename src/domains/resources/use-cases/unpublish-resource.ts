import { type Context, inTransaction } from '../../../platform/context.ts';
import { lockResource, readResource } from '../resources.queries.ts';
import type { ResourceView } from '../resources.wire.ts';

/** Makes the resource a draft, also an archived one. The second call changes nothing. */
export const unpublishResource = (ctx: Context, input: { id: string; programId: string }): Promise<ResourceView> =>
  inTransaction(ctx, async (ctx) => {
    const resource = await lockResource(ctx, input);
    resource.move('draft', ctx.clock.now());
    return readResource(ctx, input.id);
  });
