import { isUtf8 } from 'node:buffer';
import { AppError } from '../errors.ts';

const PROBLEMS = {
  invalid_charset: 'must be UTF-8, with no other charset in its content type',
  invalid_encoding: 'must be sent without Content-Encoding',
  invalid_utf8: 'is not valid UTF-8',
  invalid_json: 'is not valid JSON',
  repeated_name: 'repeats a member name',
  too_deep: 'is nested too deeply',
} as const;

export const bodyProblem = (code: keyof typeof PROBLEMS): AppError =>
  new AppError('BAD_REQUEST', `The request body ${PROBLEMS[code]}`, {
    issues: [{ path: 'body', code, message: PROBLEMS[code] }],
  });

/** Accepts one reading of a body only: UTF-8 JSON (RFC 8259, section 8.1) without repeated names. Throws BAD_REQUEST. */
export const parseJsonBody = (bytes: Buffer): unknown => {
  if (!isUtf8(bytes)) throw bodyProblem('invalid_utf8');
  const text = bytes.toString();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw bodyProblem('invalid_json');
  }
  const ambiguity = findAmbiguousJson(text);
  if (ambiguity) throw bodyProblem(ambiguity);
  return value;
};

const QUOTE = 34;
const BACKSLASH = 92;
const MAX_DEPTH = 64;

/** Index of the closing quote of the string that begins at `start`. */
const endOfString = (json: string, start: number): number => {
  let at = start + 1;
  while (json.charCodeAt(at) !== QUOTE) at += json.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
};

const isName = (json: string, after: number): boolean => {
  let at = after;
  while (json[at] === ' ' || json[at] === '\n' || json[at] === '\r' || json[at] === '\t') at++;
  return json[at] === ':';
};

/** Records the string at `at` if it is a member name; true when its object has that name already. */
const isRepeated = (json: string, at: number, end: number, names: Set<string> | null | undefined): boolean => {
  if (!names || !isName(json, end + 1)) return false;
  const before = names.size;
  return names.add(JSON.parse(json.slice(at, end + 1)) as string).size === before;
};

/**
 * Finds what parsers interpret differently: a member name that occurs twice in one object, and nesting deeper than 64.
 * The text must be valid JSON.
 */
export const findAmbiguousJson = (json: string): 'repeated_name' | 'too_deep' | null => {
  const open: (Set<string> | null)[] = [];
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === '{' || character === '[') {
      if (open.push(character === '{' ? new Set() : null) > MAX_DEPTH) return 'too_deep';
    } else if (character === '}' || character === ']') {
      open.pop();
    } else if (character === '"') {
      const end = endOfString(json, at);
      if (isRepeated(json, at, end, open.at(-1))) return 'repeated_name';
      at = end;
    }
  }
  return null;
};
