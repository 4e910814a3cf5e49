import { type Context, inTransaction } from '../../../platform/context.ts';
import { lockResource, readResource } from '../resources.queries.ts';
import type { ResourceView } from '../resources.wire.ts';

/** Hides the resource from affiliates and from lists that do not ask for archived ones. The second call changes nothing. */
export const archiveResource = (ctx: Context, input: { id: string; programId: string }): Promise<ResourceView> =>
  inTransaction(ctx, async (ctx) => {
    const resource = await lockResource(ctx, input);
    resource.move('archived', ctx.clock.now());
    return readResource(ctx, input.id);
  });
