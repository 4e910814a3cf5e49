import type { ResourceKind } from '../../../contracts/resources.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { execute } from '../../../platform/database/sql.ts';
import { invalidField } from '../../../platform/errors.ts';
import { db } from '../../tables.ts';
import { addMedia, listMedia } from '../media.steps.ts';
import { addResource, assertNoFolder, lockCollectionWithSpace, type NewResource } from '../new-resource.steps.ts';
import type { ResourceChanges } from '../resource.entity.ts';
import { lockResource, readResource } from '../resources.queries.ts';
import { type ResourceView, toResource } from '../resources.wire.ts';
import { discardFiles, takeUpload } from '../upload.steps.ts';

interface CreateFileInput extends Omit<NewResource, 'title'> {
  /** Default: the name of the file. */
  title: string | undefined;
  fileName: string;
  uploadPath: string;
  uploadToken: string;
}

/** Makes a received file a resource. Its upload can be used once. */
export const createFile = (ctx: Context, input: CreateFileInput): Promise<ResourceView> =>
  inTransaction(ctx, async (ctx) => {
    const { title, fileName, uploadPath: path, uploadToken: token, ...values } = input;
    const { id: resourceId } = await addResource(ctx, 'file', { ...values, title: title ?? titleOf(fileName) });
    const file = await takeUpload(ctx, { programId: input.programId, resourceId: null, path, token });
    await addMedia(ctx, { resourceId, fileId: file.id, fileName, altText: null, sortOrder: 0 });
    return readResource(ctx, resourceId);
  });

const MAX_TITLE = 200;

/** Never with half of a character at its end. */
const titleOf = (fileName: string): string => fileName.slice(0, MAX_TITLE).replace(/\p{Cs}$/u, '');

const create =
  (kind: ResourceKind) =>
  (ctx: Context, input: NewResource): Promise<ResourceView> =>
    inTransaction(ctx, async (ctx) => toResource(await addResource(ctx, kind, input)));

export const createSocialPost = create('social_post');
export const createSwipeCopy = create('swipe_copy');
export const createExternalLink = create('external_link');
export const createCollection = create('collection');

interface UpdateMarketingResourceInput {
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

/** Applies the values that differ. NOT_FOUND for a resource of another kind. */
export const updateSocialPost = async (
  ctx: Context,
  { folderId, ...input }: Omit<UpdateMarketingResourceInput, 'kind'> & { folderId: string | null | undefined },
): Promise<ResourceView> => {
  assertNoFolder(folderId);
  return updateMarketingResource(ctx, { ...input, kind: 'social_post' });
};

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
