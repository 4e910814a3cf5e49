import type { z } from 'zod';

type RawIssue = z.core.$ZodRawIssue;

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
  date: 'a date',
};

const FORMATS: Readonly<Record<string, string>> = {
  uuid: 'must be a UUID',
  email: 'must be an email address',
  url: 'must be an absolute URL',
  datetime: 'must be an ISO 8601 date and time with Z or an offset',
  date: 'must be an ISO 8601 date',
};

const unitOf = (origin: string, count: number | bigint): string => {
  const unit = origin === 'string' ? 'character' : origin === 'array' || origin === 'set' ? 'item' : '';
  if (unit === '') return `${count}`;
  return `${count} ${unit}${Number(count) === 1 ? '' : 's'}`;
};

const tooSmall = ({ origin, minimum, inclusive, exact }: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall>): string => {
  const amount = unitOf(origin, minimum);
  const sized = origin === 'string' || origin === 'array' || origin === 'set';
  if (sized && Number(minimum) === 1 && !exact) return 'must not be empty';
  if (sized) return `must have ${exact ? 'exactly' : 'at least'} ${amount}`;
  return inclusive === false ? `must be greater than ${amount}` : `must be at least ${amount}`;
};

const tooBig = ({ origin, maximum, inclusive, exact }: z.core.$ZodRawIssue<z.core.$ZodIssueTooBig>): string => {
  const amount = unitOf(origin, maximum);
  const sized = origin === 'string' || origin === 'array' || origin === 'set';
  if (sized) return `must have ${exact ? 'exactly' : 'at most'} ${amount}`;
  return inclusive === false ? `must be less than ${amount}` : `must be at most ${amount}`;
};

const oneOf = (values: readonly unknown[]): string => `must be ${values.length === 1 ? '' : 'one of: '}${values.join(', ')}`;

const shapeOf = (issue: RawIssue): string[] => {
  const def = (issue.inst as { _zod?: { def?: { shape?: object } } } | undefined)?._zod?.def;
  return Object.keys(def?.shape ?? {});
};

/** "is not a recognized parameter. Allowed: limit, page" */
export const unrecognized = (kind: string, allowed: readonly string[]): string =>
  `is not a recognized ${kind}. Allowed: ${allowed.length === 0 ? 'none' : allowed.join(', ')}`;

/**
 * The message for one issue, as the end of a sentence that begins with the name of the `kind` (field, parameter or
 * setting). Never contains the value. A message of the schema itself takes precedence.
 */
export const issueMessage =
  (kind: string) =>
  (issue: RawIssue): string => {
    if (issue.input === undefined && issue.code !== 'custom') return 'is required';
    // The query parser makes an array of a repeated parameter.
    if (kind === 'parameter' && Array.isArray(issue.input)) return 'must be given once';
    switch (issue.code) {
      case 'invalid_type':
        return `must be ${TYPES[issue.expected] ?? issue.expected}`;
      case 'too_small':
        return tooSmall(issue);
      case 'too_big':
        return tooBig(issue);
      case 'invalid_format':
        return FORMATS[issue.format] ?? 'is malformed';
      case 'not_multiple_of':
        return `must be a multiple of ${issue.divisor}`;
      case 'invalid_value':
        return oneOf(issue.values);
      case 'unrecognized_keys':
        return unrecognized(kind, shapeOf(issue));
      case 'invalid_union':
        return 'options' in issue && Array.isArray(issue.options) ? oneOf(issue.options) : 'has none of the accepted formats';
      default:
        return 'is not valid';
    }
  };
