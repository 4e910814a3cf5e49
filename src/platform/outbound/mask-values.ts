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

/** Includes each part without what precedes a token, such as "Bearer ". */
const partsOf = (values: readonly string[]): string[] => [
  ...new Set(values.flatMap((value) => [value, ...value.split(/\s+/)]).filter(({ length }) => length >= MIN_CHARS)),
];

/** A state of the search: `length` characters before the current one begin a part, and no longer beginning ends there. */
interface State {
  length: number;
  next: Map<string, State>;
  /** State of a shorter beginning; null if there is none. */
  shorter: State | null;
}

/** The automaton of Aho and Corasick: one pass over a text finds all parts, however many they are and however alike. */
const searchOf = (parts: readonly string[]): State => {
  const start: State = { length: 0, next: new Map(), shorter: null };
  for (const part of parts) {
    let state = start;
    for (const char of part) {
      const next: State = state.next.get(char) ?? { length: state.length + 1, next: new Map(), shorter: start };
      state.next.set(char, next);
      state = next;
    }
  }
  const states = [start];
  for (const { next, shorter } of states) {
    for (const [char, state] of next) {
      if (shorter) state.shorter = advance(shorter, char);
      states.push(state);
    }
  }
  return start;
};

const advance = (state: State, char: string): State => {
  for (let from = state; ; ) {
    const next = from.next.get(char);
    if (next) return next;
    if (!from.shorter) return from;
    from = from.shorter;
  }
};

/** Whole parts, and beginnings of parts that were cut off. */
const findParts = (text: string, search: State): Range[] => {
  const found: Range[] = [];
  let state = search;
  for (let to = 1; to <= text.length; to += 1) {
    state = advance(state, text[to - 1] ?? '');
    if (state.length < MIN_CHARS) continue;
    const [last, from] = [found.at(-1), to - state.length];
    if (last && from < last.to) last.to = to;
    else found.push({ from, to });
  }
  return found;
};

const unescaped = ([, json, url, hex, decimal, name, quoted]: readonly (string | undefined)[]): string => {
  const code = json ?? url ?? hex;
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
  if (decimal !== undefined) return String.fromCharCode(Number(decimal));
  return NAMED[(name ?? '').toLowerCase()] ?? quoted ?? '';
};

/** Like `findParts`, in the text that the escapes stand for. */
const findEscapedParts = (text: string, search: State): Range[] => {
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
  return findParts(plain, search).map(({ from, to }) => ({ from: starts[from] ?? 0, to: starts[to] ?? text.length }));
};

const mask = (text: string, search: State): string => {
  const ranges = [...findParts(text, search), ...findEscapedParts(text, search)].sort((a, b) => a.from - b.from);
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
  const search = searchOf(parts);
  const headers = Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, mask(value, search)]));
  // Uses one character for each byte, whatever the encoding of the text.
  return { ...response, headers, excerpt: Buffer.from(mask(response.excerpt.toString('latin1'), search), 'latin1') };
};
