import { z } from 'zod';
import { AppError } from '../errors.ts';

export interface Issue {
  path: string;
  code: string;
  message: string;
}

const MAX_ISSUES = 20;

/** Never repeats the value: it may be a secret or a person's data. */
export const issuesOf = (error: z.ZodError): Issue[] =>
  error.issues.slice(0, MAX_ISSUES).map((issue) => {
    const unknown = issue.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
    const path = unknown === undefined ? issue.path : [...issue.path, unknown];
    return {
      path: path.map(String).join('.').slice(0, 200),
      code: issue.code,
      message: unknown === undefined ? issue.message : 'unknown field',
    };
  });

/** Checks and converts; a failure becomes the documented error of that part of the request. */
export type Check = (value: unknown) => unknown;

export const checkParameters = (schema: z.ZodType): Check => {
  const compiled = z.compile(schema);
  return (value) => {
    const read = compiled.safeParse(value);
    if (read.success) return read.data;
    throw new AppError('BAD_REQUEST', 'A path or query parameter is not valid', { issues: issuesOf(read.error) });
  };
};

export const checkBody = (schema: z.ZodType): Check => {
  const compiled = z.compile(schema);
  return (value) => {
    const read = compiled.safeParse(value === undefined ? {} : value);
    if (read.success) return read.data;
    throw new AppError('VALIDATION_ERROR', 'The request body fails validation', { issues: issuesOf(read.error) });
  };
};

/** For operations without a body: nothing and `{}` pass. */
export const checkNoBody: Check = (value) => {
  if (value === undefined) return {};
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0) return {};
  throw new AppError('BAD_REQUEST', 'This operation takes no body', { reason: 'BODY_NOT_ALLOWED' });
};

/** Wire text of an answer. What the schema does not name is left out; what does not fit it is a fault. */
export const responseWriter = (schema: z.ZodType): ((value: unknown) => string) => {
  const compiled = z.compile(schema);
  return (value) => {
    const read = compiled.safeParse(value);
    if (!read.success)
      throw new Error(
        `An answer does not fit its schema: ${issuesOf(read.error)
          .map((i) => i.path)
          .join(', ')}`,
      );
    return JSON.stringify(read.data);
  };
};

/** Reads raw bytes of a receiver: 400 when they are no JSON, 422 when they do not have the shape. */
export const jsonReader = <S extends z.ZodType>(schema: S): ((rawBody: Buffer) => z.output<S>) => {
  const check = checkBody(schema);
  return (rawBody) => {
    let value: unknown;
    try {
      value = JSON.parse(rawBody.toString('utf8'));
    } catch {
      throw new AppError('BAD_REQUEST', 'The body is not valid JSON', {
        issues: [{ path: 'body', code: 'invalid_json', message: 'is not valid JSON' }],
      });
    }
    return check(value) as z.output<S>;
  };
};
