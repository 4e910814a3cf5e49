import type { ReceivedResponse } from './http-connection.ts';

/** Shorter ones occur in any text. */
const MIN_CHARS = 8;
const MASK = '****';

/** What JSON, URLs and HTML write for one character. */
const ESCAPE =
  /\\u00([0-9a-f]{2})|%([0-9a-f]{2})|&#x0{0,4}([0-9a-f]{2});|&#0{0,4}(\d{2,3});|&(amp|lt|gt|quot|apos);|\\(["'/\\])/gi;
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

interface Range {
  from: number;
  to: number;
}

/** Also without what precedes a token, such as "Bearer ". */
const partsOf = (values: readonly string[]): string[] => [
  ...new Set(values.flatMap((value) => [value, ...value.split(/\s+/)]).filter(({ length }) => length >= MIN_CHARS)),
];

const occurrencesOf = (text: string, part: string, lengthAt: (from: number) => number): Range[] => {
  const found: Range[] = [];
  for (let from = text.indexOf(part); from !== -1; ) {
    const to = from + lengthAt(from);
    found.push({ from, to });
    from = text.indexOf(part, to);
  }
  return found;
};

const commonLength = (text: string, from: number, part: string): number => {
  let length = MIN_CHARS;
  while (length < part.length && text[from + length] === part[length]) length += 1;
  return length;
};

/** Whole parts, and beginnings of parts that were cut off. */
const findParts = (text: string, parts: readonly string[]): Range[] =>
  parts.flatMap((part) => [
    ...occurrencesOf(text, part, () => part.length),
    ...occurrencesOf(text, part.slice(0, MIN_CHARS), (from) => commonLength(text, from, part)),
  ]);

const unescaped = ([, json, url, hex, decimal, name, quoted]: readonly (string | undefined)[]): string => {
  const code = json ?? url ?? hex;
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
  if (decimal !== undefined) return String.fromCharCode(Number(decimal));
  return NAMED[(name ?? '').toLowerCase()] ?? quoted ?? '';
};

/** As `findParts`, in the text that the escapes stand for. */
const findEscapedParts = (text: string, parts: readonly string[]): Range[] => {
  let plain = '';
  /** Where each character of `plain` begins. */
  const starts: number[] = [];
  const append = (from: number, to: number, chars = text.slice(from, to)): void => {
    plain += chars;
    for (let i = 0; i < chars.length; i += 1) starts.push(from + i);
  };
  let end = 0;
  for (const match of text.matchAll(ESCAPE)) {
    append(end, match.index);
    end = match.index + match[0].length;
    append(match.index, end, unescaped(match));
  }
  if (end === 0) return [];
  append(end, text.length);
  return findParts(plain, parts).map(({ from, to }) => ({ from: starts[from] ?? 0, to: starts[to] ?? text.length }));
};

const mask = (text: string, parts: readonly string[]): string => {
  const ranges = [...findParts(text, parts), ...findEscapedParts(text, parts)].sort((a, b) => a.from - b.from);
  let masked = '';
  let end = 0;
  for (const { from, to } of ranges) {
    if (from >= end) masked += text.slice(end, from) + MASK;
    end = Math.max(end, to);
  }
  return masked + text.slice(end);
};

/**
 * The response without values that the server repeated, such as one that writes what it received into its error page: cut
 * off, or with escapes.
 */
export const maskValues = <R extends Pick<ReceivedResponse, 'headers' | 'excerpt'>>(
  response: R,
  values: readonly string[],
): R => {
  const parts = partsOf(values);
  if (parts.length === 0) return response;
  const headers = Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, mask(value, parts)]));
  // One character for each byte, whatever the encoding of the text.
  return { ...response, headers, excerpt: Buffer.from(mask(response.excerpt.toString('latin1'), parts), 'latin1') };
};
