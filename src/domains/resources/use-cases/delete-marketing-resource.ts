import { type Context, inTransaction } from '../../../platform/context.ts';
import { execute } from '../../../platform/database/sql.ts';
import { db } from '../../tables.ts';
import { listMedia } from '../media.ts';
import { lockResource, readResource } from '../resources.queries.ts';
import type { ResourceView } from '../resources.wire.ts';
import { discardFiles } from '../upload.ts';

/** Returns the resource as it was. Its files are shown nowhere from the commit on; what is in a collection stays. */
export const deleteMarketingResource = (ctx: Context, input: { id: string; programId: string }): Promise<ResourceView> =>
  inTransaction(ctx, async (ctx) => {
    await lockResource(ctx, input);
    const deleted = await readResource(ctx, input.id);
    const media = await listMedia(ctx, input.id);
    await execute(ctx.em, db.deleteFrom('marketing_resource').where('id', '=', input.id));
    await discardFiles(
      ctx,
      media.map(({ fileId }) => fileId),
    );
    return deleted;
  });
