import { Readable } from 'node:stream';
import { after, MINUTE_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { execute, firstRow, sql } from '../../platform/database/sql.ts';
import { conflict, forbidden, notFound } from '../../platform/errors.ts';
import { checkedBytes, invalidUpload } from './checked-bytes.ts';
import { fileOfUploadToken, UPLOAD_LIFETIME_MS } from './upload.ts';

/** After it, a request that sends a file is ended. */
export const RECEIPT_LIMIT_MS = 10 * MINUTE_MS;
/** How long the file of a request that never ended is left alone: longer than a request can take. */
const ABANDONED_AFTER_MS = RECEIPT_LIMIT_MS + 5 * MINUTE_MS;

export interface ReceivedUpload {
  token: string;
  contentType: string | undefined;
  contentEncoding: string | undefined;
  /** Null: not announced. */
  contentLength: number | null;
  bytes: AsyncIterable<Buffer>;
}

interface ExpectedFile {
  id: string;
  mimeType: string;
  byteSize: number;
  receiptId: string;
}

/**
 * Receives the file of an upload session: of the announced type and size, checked while it arrives, and once. A request that
 * fails leaves the session as it was.
 */
export const receiveUpload = async (ctx: Context, upload: ReceivedUpload): Promise<{ byteSize: number }> => {
  const file = await startReceipt(ctx, upload.token);
  try {
    assertAnnounced(upload, file);
    const bytes = Readable.from(checkedBytes(upload.bytes, file), { objectMode: false });
    await ctx.settings.storage.write(file.id, { bytes, size: file.byteSize, contentType: file.mimeType });
  } catch (error) {
    await endReceipt(ctx, file, 'expected');
    throw error;
  }
  if ((await endReceipt(ctx, file, 'received')) === 0) throw forbidden('The upload has expired');
  return { byteSize: file.byteSize };
};

/** One request at a time. Its file is not removed while it can still arrive. */
const startReceipt = async (ctx: Context, token: string): Promise<ExpectedFile> => {
  const id = fileOfUploadToken(ctx, token);
  if (id === null) throw notFound('Upload');
  const receiptId = ctx.ids.next();
  const now = ctx.clock.now();
  const started = await firstRow(
    ctx.em,
    sql<ExpectedFile>`update stored_file set status = 'receiving', receipt_id = ${receiptId}::uuid, updated_at = ${now.toISOString()}::timestamptz,
        expires_at = greatest(expires_at, ${after(now, ABANDONED_AFTER_MS).toISOString()}::timestamptz)
      where id = ${id}::uuid and expires_at > ${now.toISOString()}::timestamptz
        and (status = 'expected' or (status = 'receiving' and updated_at < ${after(now, -ABANDONED_AFTER_MS).toISOString()}::timestamptz))
      returning id, mime_type as "mimeType", byte_size::float8 as "byteSize", receipt_id as "receiptId"`,
  );
  if (started) return started;
  const file = await firstRow(ctx.em, sql<{ status: string }>`select status from stored_file where id = ${id}::uuid`);
  if (file?.status === 'received' || file?.status === 'in_use')
    throw conflict('ALREADY_UPLOADED', 'The file was received already');
  if (file?.status === 'receiving') throw conflict('UPLOAD_INCOMPLETE', 'Another request is sending the file');
  throw forbidden('The upload has expired');
};

/** Returns 0 when another request has taken over. */
const endReceipt = (ctx: Context, { id, receiptId }: ExpectedFile, to: 'expected' | 'received'): Promise<number> => {
  const now = ctx.clock.now();
  return execute(
    ctx.em,
    sql`update stored_file set status = ${to}, receipt_id = null, updated_at = ${now.toISOString()}::timestamptz,
        expires_at = case when ${to} = 'received' then ${after(now, UPLOAD_LIFETIME_MS).toISOString()}::timestamptz else expires_at end
      where id = ${id}::uuid and receipt_id = ${receiptId}::uuid and status = 'receiving'`,
  );
};

const assertAnnounced = (upload: ReceivedUpload, { mimeType, byteSize }: ExpectedFile): void => {
  const [type = ''] = (upload.contentType ?? '').split(';');
  if (type.trim().toLowerCase() !== mimeType)
    throw invalidUpload('Content-Type', `must be ${mimeType}, as in the upload session`);
  if ((upload.contentEncoding ?? 'identity') !== 'identity') throw invalidUpload('Content-Encoding', 'must be left out');
  if (upload.contentLength !== null && upload.contentLength !== byteSize)
    throw invalidUpload('Content-Length', `must be ${byteSize}, as in the upload session`);
};
