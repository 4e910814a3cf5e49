import type { ResourceKind } from '../../../contracts/resources.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { invalidField } from '../../../platform/errors.ts';
import { lockCollectionWithSpace } from '../new-resource.ts';
import type { ResourceChanges } from '../resource.entity.ts';
import { lockResource, readResource } from '../resources.queries.ts';
import type { ResourceView } from '../resources.wire.ts';

export interface UpdateMarketingResourceInput {
  id: string;
  programId: string;
  /** Undefined: any. */
  kind?: 'social_post';
  changes: ResourceChanges;
}

/** The fields that only some kinds have, by their names on the wire. */
const KINDS_WITH: readonly [field: keyof ResourceChanges, wireName: string, kinds: readonly ResourceKind[]][] = [
  ['body', 'body', ['social_post', 'swipe_copy']],
  ['url', 'url', ['external_link']],
  ['instructions', 'instructions', ['file', 'social_post', 'swipe_copy', 'external_link']],
  ['collectionId', 'collection_id', ['file', 'social_post', 'swipe_copy', 'external_link']],
];

/** Applies the values that differ. The status is changed by operations of its own. */
export const updateMarketingResource = (ctx: Context, input: UpdateMarketingResourceInput): Promise<ResourceView> =>
  inTransaction(ctx, async (ctx) => {
    const { id, changes, ...target } = input;
    if (changes.collectionId)
      await lockCollectionWithSpace(ctx, { id: changes.collectionId, programId: target.programId, item: id });
    const resource = await lockResource(ctx, { id, ...target });
    for (const [field, wireName, kinds] of KINDS_WITH) {
      if (changes[field] !== undefined && !kinds.includes(resource.kind))
        throw invalidField(wireName, 'is no field of this kind of resource');
    }
    resource.change(changes, ctx.clock.now());
    return readResource(ctx, id);
  });
