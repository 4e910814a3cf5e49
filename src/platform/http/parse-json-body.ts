import { isUtf8 } from 'node:buffer';
import { AppError } from '../errors.ts';
import { findAmbiguousJson } from './ambiguous-json.ts';

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
