import type { ByteRange } from '../storage/file-storage.ts';

/** What a response can be a part of. The ETag changes with the bytes. */
export interface Ranged {
  byteSize: number;
  etag: string;
}

interface RangeRequest {
  range?: string | undefined;
  'if-range'?: string | undefined;
}

/**
 * The one range that a request asks for (RFC 9110, section 14). Null, for the whole: without a range, with several or a malformed one,
 * and when the bytes are no longer those that the client has a part of.
 */
export const requestedRange = (headers: RangeRequest, { byteSize, etag }: Ranged): ByteRange | 'unsatisfiable' | null => {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? '') ?? [];
  if (first === '' && last === '') return null;
  if (headers['if-range'] !== undefined && headers['if-range'] !== etag) return null;
  const end = first === '' || last === '' ? byteSize - 1 : Math.min(Number(last), byteSize - 1);
  const start = first === '' ? Math.max(0, byteSize - Number(last)) : Number(first);
  if (first !== '' && last !== '' && Number(last) < start) return null;
  return start > end ? 'unsatisfiable' : { start, end };
};

export const rangeHeaders = ({ byteSize, etag }: Ranged, range: ByteRange | null): Record<string, string | number> => ({
  'accept-ranges': 'bytes',
  etag,
  'content-length': range ? range.end - range.start + 1 : byteSize,
  ...(range ? { 'content-range': `bytes ${range.start}-${range.end}/${byteSize}` } : {}),
});
