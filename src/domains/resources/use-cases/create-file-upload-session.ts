import { type Context, inTransaction } from '../../../platform/context.ts';
import { readOwnedProgram } from '../../programs/index.ts';
import { type NewUpload, openUpload, type UploadSession } from '../upload.ts';

/** A place to send one file of the program to. The file counts against the storage from now on. */
export const createFileUploadSession = (ctx: Context, input: Omit<NewUpload, 'resourceId'>): Promise<UploadSession> =>
  inTransaction(ctx, async (ctx) => {
    await readOwnedProgram(ctx, input.programId);
    return openUpload(ctx, { ...input, resourceId: null });
  });
