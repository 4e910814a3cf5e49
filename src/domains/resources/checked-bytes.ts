import { fileTypeFromBuffer } from 'file-type';
import { AppError } from '../../platform/errors.ts';

/** As many bytes as the detection of a type reads at most. */
const HEAD_BYTES = 4_100;

export const invalidUpload = (path: string, message: string): AppError =>
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
export async function* checkedBytes(
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
