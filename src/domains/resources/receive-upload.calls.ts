import { Readable } from 'node:stream';
import { fileTypeFromBuffer } from 'file-type';
import { after, MINUTE_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { execute, firstRow, sql } from '../../platform/database/sql.ts';
import { AppError, conflict, forbidden, notFound } from '../../platform/errors.ts';
import { assertGranted } from '../auth/index.ts';
import { db } from '../tables.ts';
import { readUploadToken, UPLOAD_LIFETIME_MS } from './upload.steps.ts';

/** After it, a request that sends a file is ended. */
export const RECEIPT_LIMIT_MS = 10 * MINUTE_MS;
/** How long the file of a request that never ended is left alone: longer than a request can take. */
const ABANDONED_AFTER_MS = RECEIPT_LIMIT_MS + 5 * MINUTE_MS;

export interface ReceivedUpload {
  token: string;
  /** Called before the body is received, with the owner of the file. A request that it rejects leaves the session as it was. */
  admit(merchantId: string): void;
  contentType: string | undefined;
  contentEncoding: string | undefined;
  /** Null: not announced. */
  contentLength: number | null;
  bytes: AsyncIterable<Buffer>;
}

interface ExpectedFile {
  id: string;
  merchantId: string;
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
    upload.admit(file.merchantId);
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
  const read = readUploadToken(ctx, token);
  if (read === null) throw notFound('Upload');
  const { fileId: id, grantId } = read;
  await assertGranted(ctx, { grantId, scope: 'marketing_resources:write' });
  const receiptId = ctx.ids.next();
  const now = ctx.clock.now();
  const started = await firstRow(
    ctx.em,
    db
      .updateTable('stored_file')
      .set({
        status: 'receiving',
        receiptId,
        updatedAt: now,
        expiresAt: sql<string>`greatest(expires_at, ${after(now, ABANDONED_AFTER_MS)})`,
      })
      .where('id', '=', id)
      .where('expiresAt', '>', now.toISOString())
      .where(({ and, eb, or }) =>
        or([
          eb('status', '=', 'expected'),
          and([eb('status', '=', 'receiving'), eb('updatedAt', '<', after(now, -ABANDONED_AFTER_MS).toISOString())]),
        ]),
      )
      .returning(['id', 'merchantId', 'mimeType', 'byteSize']),
  );
  if (started) return { ...started, receiptId };
  const file = await firstRow(ctx.em, db.selectFrom('stored_file').select('status').where('id', '=', id));
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
    db
      .updateTable('stored_file')
      .set({ status: to, receiptId: null, updatedAt: now })
      .$if(to === 'received', (query) => query.set({ expiresAt: after(now, UPLOAD_LIFETIME_MS) }))
      .where('id', '=', id)
      .where('receiptId', '=', receiptId)
      .where('status', '=', 'receiving'),
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

/** As many bytes as the detection of a type reads at most. */
const HEAD_BYTES = 4_100;

const invalidUpload = (path: string, message: string): AppError =>
  new AppError('BAD_REQUEST', `The file was not accepted: ${path} ${message}`, { issues: [{ path, code: 'invalid', message }] });

const wrongSize = (byteSize: number): AppError =>
  invalidUpload('body', `must be exactly ${byteSize} bytes, as in the upload session`);

/** An animated PNG is a PNG, and a video of an iPhone an MP4. */
const SAME_TYPES: Readonly<Record<string, string>> = { 'image/apng': 'image/png', 'video/x-m4v': 'video/mp4' };

const assertType = async (head: Buffer, mimeType: string): Promise<void> => {
  const found = (await fileTypeFromBuffer(head))?.mime ?? '';
  if ((SAME_TYPES[found] ?? found) !== mimeType) throw invalidUpload('body', `must be a file of the type ${mimeType}`);
};

/**
 * Passes on the bytes of a file as they arrive, and throws at the first byte that shows another type or size than expected. Nothing
 * is passed on before the type is known.
 */
async function* checkedBytes(
  bytes: AsyncIterable<Buffer>,
  { mimeType, byteSize }: { mimeType: string; byteSize: number },
): AsyncGenerator<Buffer> {
  let received = 0;
  let head: Buffer | null = Buffer.alloc(0);
  for await (const chunk of bytes) {
    received += chunk.length;
    if (received > byteSize) throw wrongSize(byteSize);
    if (head === null) yield chunk;
    else {
      head = Buffer.concat([head, chunk]);
      if (head.length < HEAD_BYTES) continue;
      await assertType(head, mimeType);
      yield head;
      head = null;
    }
  }
  if (received < byteSize) throw wrongSize(byteSize);
  if (head === null) return;
  await assertType(head, mimeType);
  yield head;
}
