import { type Context, inTransaction } from '../../../platform/context.ts';
import { addMedia } from '../media.ts';
import { addResource, type NewResource } from '../new-resource.ts';
import { readResource } from '../resources.queries.ts';
import type { ResourceView } from '../resources.wire.ts';
import { takeUpload } from '../upload.ts';

export interface CreateFileInput extends Omit<NewResource, 'title'> {
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
