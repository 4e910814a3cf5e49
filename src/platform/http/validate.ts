import { z } from 'zod';
import { AppError, type Issue, invalid, invalidBody } from '../errors.ts';
import { issueMessage } from '../issue-message.ts';
import { parseJsonBody } from './parse-json-body.ts';

const MAX_ISSUES = 20;

/** Never contains the value: it may be a secret or personal data. */
const issuesOf = (error: z.ZodError): Issue[] =>
  error.issues.slice(0, MAX_ISSUES).map((issue) => {
    const path = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0] ?? ''] : issue.path;
    return { path: path.map(String).join('.').slice(0, 200), code: issue.code, message: issue.message };
  });

/** Checks and converts; throws the documented error of that part of the request. */
export type Check = (value: unknown) => unknown;

const check = (schema: z.ZodType, kind: 'parameter' | 'field', toError: (issues: Issue[]) => AppError): Check => {
  const compiled = z.compile(schema);
  const error = issueMessage(kind);
  return (value) => {
    const read = compiled.safeParse(value, { error });
    if (read.success) return read.data;
    throw toError(issuesOf(read.error));
  };
};

export const checkParameters = (schema: z.ZodType): Check =>
  check(schema, 'parameter', (issues) => invalid('BAD_REQUEST', 'A path or query parameter is not valid', issues));

export const checkBody = (schema: z.ZodType): Check => {
  const checkValue = check(schema, 'field', invalidBody);
  return (value) => checkValue(value === undefined ? {} : value);
};

/** For operations without a body: accepts no body and `{}`. */
export const checkNoBody: Check = (value) => {
  if (value === undefined) return {};
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0) return {};
  throw new AppError('BAD_REQUEST', 'This operation does not accept a request body', { reason: 'BODY_NOT_ALLOWED' });
};

/** Writes the response. What the schema does not name is left out; what does not match it is a fault. */
export const responseWriter = (schema: z.ZodType): ((value: unknown) => string) => {
  const compiled = z.compile(schema);
  return (value) => {
    const read = compiled.safeParse(value);
    if (read.success) return JSON.stringify(read.data);
    const paths = issuesOf(read.error).map(({ path }) => path);
    throw new Error(`A response does not match its schema: ${paths.join(', ')}`);
  };
};

/** Reads the raw body of an inbound webhook: 400 when it is not unambiguous JSON, 422 when it does not match the schema. */
export const jsonReader = <S extends z.ZodType>(schema: S): ((rawBody: Buffer) => z.output<S>) => {
  const checkValue = checkBody(schema);
  return (rawBody) => checkValue(parseJsonBody(rawBody)) as z.output<S>;
};
