import { LockMode } from '@mikro-orm/core';
import { z } from 'zod';
import { MAX_FILE_BYTES, MAX_OPEN_UPLOADS, MAX_VIDEO_BYTES, STORAGE_BYTES } from '../../contracts/limits.ts';
import { type FileType, VIDEO_TYPES } from '../../contracts/resources.ts';
import { after, HOUR_MS } from '../../platform/clock.ts';
import { type Context, callerOf, grantIdOf, merchantOf } from '../../platform/context.ts';
import { readToken, signToken } from '../../platform/crypto/signed-token.ts';
import { lockName } from '../../platform/database/lock-name.ts';
import { execute, firstRow, sql } from '../../platform/database/sql.ts';
import { anyOf } from '../../platform/database/table.ts';
import { conflict, invalidField, invariant } from '../../platform/errors.ts';
import { getBillingTier } from '../merchants/index.ts';
import { db } from '../tables.ts';
import { StoredFile } from './stored-file.entity.ts';

/** How long a file can be sent and used after its session was created or the file was received. */
export const UPLOAD_LIFETIME_MS = HOUR_MS;
const PURPOSE = 'resource upload';
/** The published field: the storage has one place for all files. */
const BUCKET = 'marketing-resources';

export interface NewUpload {
  programId: string;
  /** The post that the file is for. Null: a file of the program. */
  resourceId: string | null;
  mimeType: FileType;
  byteSize: number;
}

export interface UploadSession {
  bucket: string;
  path: string;
  token: string;
  url: string;
  expiresInSeconds: number;
}

const tokenSchema = z.tuple([z.uuid(), z.uuid()]);

/** The file that a token was signed for, and what let the caller; null for any other text. */
export const readUploadToken = (ctx: Context, token: string): { fileId: string; grantId: string } | null => {
  const text = readToken(ctx.cipher, PURPOSE, token);
  if (text === null) return null;
  const [fileId, grantId] = tokenSchema.parse(JSON.parse(text));
  return { fileId, grantId };
};

const pathOf = (programId: string, fileId: string): string => `${programId}/${fileId}`;

/** Reserves the space of the file. Its row is written before the file, so that no file is ever without one. */
export const openUpload = async (ctx: Context, upload: NewUpload): Promise<UploadSession> => {
  const merchantId = merchantOf(ctx);
  const { programId, resourceId, mimeType, byteSize } = upload;
  assertFileSize(upload);
  await assertSpace(ctx, byteSize);
  const id = ctx.ids.next();
  const now = ctx.clock.now();
  ctx.em.create(StoredFile, {
    id,
    merchantId,
    programId,
    resourceId,
    mimeType,
    byteSize,
    status: 'expected',
    expiresAt: after(now, UPLOAD_LIFETIME_MS),
    createdAt: now,
    updatedAt: now,
  });
  const token = signToken(ctx.cipher, PURPOSE, JSON.stringify([id, grantIdOf(callerOf(ctx))]));
  return {
    bucket: BUCKET,
    path: pathOf(programId, id),
    token,
    url: `${ctx.settings.publicUrl}/files/uploads/${token}`,
    expiresInSeconds: UPLOAD_LIFETIME_MS / 1_000,
  };
};

/** Videos are for posts only. */
const assertFileSize = ({ resourceId, mimeType, byteSize }: NewUpload): void => {
  const isVideo = (VIDEO_TYPES as readonly string[]).includes(mimeType);
  const limit = isVideo && resourceId !== null ? MAX_VIDEO_BYTES : MAX_FILE_BYTES;
  if (byteSize > limit) throw invalidField('file_size_bytes', `must be at most ${limit}`, 'too_big');
};

const assertSpace = async (ctx: Context, byteSize: number): Promise<void> => {
  const merchantId = merchantOf(ctx);
  await lockName(ctx, `files:${merchantId}`);
  const counted = await firstRow(
    ctx.em,
    db
      .selectFrom('stored_file')
      .select(({ fn }) => [
        fn.coalesce(fn.sum<number>('byteSize'), sql<number>`0`).as('used'),
        fn.countAll<number>().filterWhere('status', '<>', 'in_use').as('open'),
      ])
      .where('merchantId', '=', merchantId)
      // A literal: a parameter could not use the partial index.
      .where('status', '<>', sql.lit('discarded')),
  );
  invariant(counted, 'a count has one row');
  const { used, open } = counted;
  if (open >= MAX_OPEN_UPLOADS) {
    throw conflict('TOO_MANY_UPLOADS', 'Complete your open uploads first, or wait for an hour', { limit: MAX_OPEN_UPLOADS });
  }
  const limit = STORAGE_BYTES[await getBillingTier(ctx, merchantId)];
  if (used + byteSize <= limit) return;
  throw conflict('STORAGE_LIMIT_REACHED', 'The file does not fit into the storage of your plan', { used, limit });
};

export interface OpenedUpload {
  programId: string;
  resourceId: string | null;
  path: string;
  token: string;
}

/** Takes the received file of a session into use, once. It must have been opened for the same program and post. */
export const takeUpload = async (ctx: Context, { programId, resourceId, path, token }: OpenedUpload): Promise<StoredFile> => {
  const read = readUploadToken(ctx, token);
  if (read === null) throw invalidField('upload_token', 'must be a token of an upload session');
  const { fileId: id } = read;
  const now = ctx.clock.now();
  const opened = { id, programId, resourceId, merchantId: merchantOf(ctx) };
  const file = await ctx.em.findOne(StoredFile, opened, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
  if (path !== pathOf(programId, id)) throw invalidField('upload_path', 'must be the path of the same upload session');
  if (file?.status === 'in_use') throw conflict('UPLOAD_COMPLETED', 'The upload is in use already');
  if (!file || file.status === 'discarded' || file.isExpired(now)) {
    throw conflict('UPLOAD_EXPIRED', 'The upload has expired or is for something else. Create an upload session');
  }
  if (file.status !== 'received') throw conflict('UPLOAD_INCOMPLETE', 'The file was not received yet. Send it to signed_url');
  file.use(now);
  return file;
};

/** From the commit on the files are shown nowhere; they are removed from the storage afterwards. */
export const discardFiles = (ctx: Context, fileIds: readonly string[]): Promise<number> =>
  execute(
    ctx.em,
    db.updateTable('stored_file').set({ status: 'discarded', updatedAt: ctx.clock.now() }).where('id', '=', anyOf(fileIds)),
  );
