import { MAX_FILE_BYTES, MAX_OPEN_UPLOADS, MAX_VIDEO_BYTES, STORAGE_BYTES } from '../../contracts/limits.ts';
import { type FileStatus, type FileType, VIDEO_TYPES } from '../../contracts/resources.ts';
import { after, HOUR_MS } from '../../platform/clock.ts';
import { type Context, merchantOf } from '../../platform/context.ts';
import { readToken, signToken } from '../../platform/crypto/signed-token.ts';
import { lockName } from '../../platform/database/lock-name.ts';
import { execute, firstRow, sql } from '../../platform/database/sql.ts';
import { conflict, invalidField, invariant } from '../../platform/errors.ts';
import { getBillingTier } from '../merchants/index.ts';

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

/** The file that a token was signed for; null for any other text. */
export const fileOfUploadToken = (ctx: Context, token: string): string | null => readToken(ctx.cipher, PURPOSE, token);

const pathOf = (programId: string, fileId: string): string => `${programId}/${fileId}`;

/** Reserves the space of the file. Its row is written before the file, so that no file is ever without one. */
export const openUpload = async (ctx: Context, upload: NewUpload): Promise<UploadSession> => {
  const merchantId = merchantOf(ctx);
  const { programId, resourceId, mimeType, byteSize } = upload;
  assertFileSize(upload);
  await assertSpace(ctx, byteSize);
  const id = ctx.ids.next();
  const now = ctx.clock.now();
  await execute(
    ctx.em,
    sql`insert into stored_file (id, merchant_id, program_id, resource_id, mime_type, byte_size, status, expires_at, created_at, updated_at)
      values (${id}::uuid, ${merchantId}::uuid, ${programId}::uuid, ${resourceId}::uuid, ${mimeType}, ${byteSize}, 'expected',
        ${after(now, UPLOAD_LIFETIME_MS).toISOString()}::timestamptz, ${now.toISOString()}::timestamptz, ${now.toISOString()}::timestamptz)`,
  );
  const token = signToken(ctx.cipher, PURPOSE, id);
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
    sql<{ used: number; open: number }>`select coalesce(sum(byte_size), 0)::float8 as used,
      count(*) filter (where status <> 'in_use')::int as open
      from stored_file where merchant_id = ${merchantId}::uuid and status <> 'discarded'`,
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

export interface UploadClaim {
  programId: string;
  resourceId: string | null;
  path: string;
  token: string;
}

interface UploadedFile {
  id: string;
  status: FileStatus;
  isExpired: boolean;
  byteSize: number;
}

/** Takes the received file of a session into use, once. It must have been opened for the same program and post. */
export const takeUpload = async (ctx: Context, { programId, resourceId, path, token }: UploadClaim): Promise<UploadedFile> => {
  const id = fileOfUploadToken(ctx, token);
  if (id === null) throw invalidField('upload_token', 'must be a token of an upload session');
  const now = ctx.clock.now().toISOString();
  const file = await firstRow(
    ctx.em,
    sql<UploadedFile>`select id, status, byte_size::float8 as "byteSize", expires_at < ${now}::timestamptz as "isExpired"
      from stored_file where id = ${id}::uuid and program_id = ${programId}::uuid
        and resource_id is not distinct from ${resourceId}::uuid and merchant_id = ${merchantOf(ctx)}::uuid for update`,
  );
  if (path !== pathOf(programId, id)) throw invalidField('upload_path', 'must be the path of the same upload session');
  if (file?.status === 'in_use') throw conflict('UPLOAD_COMPLETED', 'The upload is in use already');
  if (!file || file.status === 'discarded' || file.isExpired) {
    throw conflict('UPLOAD_EXPIRED', 'The upload has expired or is for something else. Create an upload session');
  }
  if (file.status !== 'received') throw conflict('UPLOAD_INCOMPLETE', 'The file was not received yet. Send it to signed_url');
  await execute(
    ctx.em,
    sql`update stored_file set status = 'in_use', expires_at = null, receipt_id = null, updated_at = ${now}::timestamptz
      where id = ${id}::uuid`,
  );
  return file;
};

/** From the commit on the files are shown nowhere; they are removed from the storage afterwards. */
export const discardFiles = (ctx: Context, fileIds: readonly string[]): Promise<number> =>
  execute(
    ctx.em,
    sql`update stored_file set status = 'discarded', updated_at = ${ctx.clock.now().toISOString()}::timestamptz
      where id = any(${fileIds}::uuid[])`,
  );
