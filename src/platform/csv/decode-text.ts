import { isUtf8 } from 'node:buffer';

const MARKS: readonly (readonly [mark: readonly number[], encoding: string])[] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
];

/**
 * The text of a file as spreadsheets and banks save it: UTF-8, UTF-16 with a byte order mark, or Windows-1252. Without the mark. One that
 * says UTF-8 is that, also when it is cut off within a letter.
 */
export const decodeText = (bytes: Uint8Array): string => {
  const marked = MARKS.find(([mark]) => mark.every((byte, n) => bytes[n] === byte))?.[1];
  return new TextDecoder(marked ?? (isUtf8(bytes) ? 'utf-8' : 'windows-1252')).decode(bytes);
};
