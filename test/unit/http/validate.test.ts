import { z } from 'zod';
import type { AppError, Issue } from '../../../src/platform/errors.ts';
import { mapOf } from '../../../src/platform/http/map-of.ts';
import { amountsByCurrency, ownMetadata, queryInteger } from '../../../src/platform/http/schemas.ts';
import { checkBody, checkNoBody, checkParameters, responseWriter } from '../../../src/platform/http/validate.ts';
import { webUrl } from '../../../src/platform/http/web-urls.ts';

const schema = z.strictObject({ name: z.string().max(3), items: z.array(z.strictObject({ n: z.int() })).optional() });
const errorOf = (act: () => unknown): AppError => {
  try {
    act();
  } catch (error) {
    return error as AppError;
  }
  throw new Error('nothing was thrown');
};
const issues = (value: unknown, of: z.ZodType = schema) => errorOf(() => checkBody(of)(value)).details?.['issues'] as Issue[];

describe('issues', () => {
  it('contain the path of the value', () => {
    expect(issues({ name: 'abc', items: [{ n: 1 }, { n: 'x' }] })).toEqual([
      { path: 'items.1.n', code: 'invalid_type', message: 'must be a number' },
    ]);
  });

  it('name an unrecognized field and the allowed ones, at every level', () => {
    expect(issues({ name: 'a', extra: 1 })).toEqual([
      { path: 'extra', code: 'unrecognized_keys', message: 'is not a recognized field. Allowed: name, items' },
    ]);
    expect(issues({ name: 'a', items: [{ n: 1, m: 2 }] })).toMatchObject([{ path: 'items.0.m' }]);
  });

  it('the first issue is in the message', () => {
    expect(errorOf(() => checkBody(schema)({ name: 'abcd', items: 1 })).message).toBe(
      'The request body fails validation: name must have at most 3 characters',
    );
    expect(errorOf(() => checkBody(schema)([])).message).toBe('The request body fails validation: must be an object');
    expect(errorOf(() => checkParameters(schema)({ name: 'a', x: 1 })).message).toBe(
      'A path or query parameter is not valid: x is not a recognized parameter. Allowed: name, items',
    );
  });

  it('issues never contain a value', () => {
    const secret = 'whsec_very-secret';
    expect(JSON.stringify(issues({ name: secret, items: [{ n: secret }] }))).not.toContain(secret);
  });

  it('issues are limited to 20, and their paths to 200 characters', () => {
    expect(issues({ name: 'a', items: Array.from({ length: 50 }, () => ({ n: 'x' })) })).toHaveLength(20);
    expect(issues({ name: 'a', ['x'.repeat(5_000)]: 1 })[0]?.path).toHaveLength(200);
  });
});

describe('messages', () => {
  const every = z.strictObject({
    id: z.uuid(),
    at: z.iso.datetime(),
    count: z.int().min(1).max(9),
    above: z.number().gt(0),
    step: z.number().multipleOf(5),
    text: z.string().min(1).max(5),
    exact: z.string().length(3),
    list: z.array(z.int()).min(2).max(3),
    choice: z.enum(['a', 'b']),
    flag: z.literal(true),
    pattern: z.string().regex(/^a/),
    union: z.union([z.int(), z.boolean()]),
    kind: z.discriminatedUnion('type', [z.strictObject({ type: z.literal('x') }), z.strictObject({ type: z.literal('y') })]),
    ruled: z.string().refine(() => false, 'must be odd'),
    unruled: z.string().refine(() => false),
  });
  const messages = (value: unknown) => Object.fromEntries(issues(value, every).map(({ path, message }) => [path, message]));

  it('the message is `is required` for every missing member', () => {
    expect(messages({})).toEqual(Object.fromEntries(Object.keys(every.shape).map((name) => [name, 'is required'])));
  });

  it('messages are plain English for every kind of issue', () => {
    const small = { count: 0, above: 0, step: 3, text: '', exact: 'a', list: [], choice: 'c', flag: false, pattern: 'b' };
    const rest = { id: 'x', at: 'x', union: 'x', kind: { type: 'z' }, ruled: 'x', unruled: 'x' };
    expect(messages({ ...small, ...rest })).toEqual({
      id: 'must be a UUID',
      at: 'must be an ISO 8601 date and time with Z or an offset',
      count: 'must be at least 1',
      above: 'must be greater than 0',
      step: 'must be a multiple of 5',
      text: 'must not be empty',
      exact: 'must have exactly 3 characters',
      list: 'must have at least 2 items',
      choice: 'must be one of: a, b',
      flag: 'must be true',
      pattern: 'is malformed',
      union: 'has none of the accepted formats',
      'kind.type': 'must be one of: x, y',
      ruled: 'must be odd',
      unruled: 'is not valid',
    });
    expect(messages({ ...small, ...rest, count: 10, text: 'abcdef', list: [1, 2, 3, 4], id: 1 })).toMatchObject({
      id: 'must be a string',
      count: 'must be at most 9',
      text: 'must have at most 5 characters',
      list: 'must have at most 3 items',
    });
  });

  it('messages of a repeated parameter say that it must be given once', () => {
    const check = checkParameters(z.strictObject({ limit: queryInteger(1, 100), sort: z.enum(['a', 'b']) }));
    expect(errorOf(() => check({ limit: ['1', '2'], sort: ['a', 'b'] })).details).toMatchObject({
      issues: [
        { path: 'limit', message: 'must be given once' },
        { path: 'sort', message: 'must be given once' },
      ],
    });
  });

  it.each(['0', '-1', 'x', '1.5', '101', '99999999999'])('messages of the integer %s name the range', (limit) => {
    const check = checkParameters(z.strictObject({ limit: queryInteger(1, 100) }));
    expect(errorOf(() => check({ limit })).details).toMatchObject({
      issues: [{ path: 'limit', message: 'must be an integer between 1 and 100' }],
    });
  });

  it('messages of a text that is no URL name that only', () => {
    expect(issues({ url: 'x' }, z.strictObject({ url: webUrl }))).toEqual([
      { path: 'url', code: 'invalid_format', message: expect.stringMatching(/^must be an absolute URL: http or https/) },
    ]);
    expect(issues({ url: 'https://me:secret@acme.example' }, z.strictObject({ url: webUrl }))).toMatchObject([
      { path: 'url', message: 'must not contain a user name or password' },
    ]);
  });

  it('say parameter where parameters are checked', () => {
    const check = checkParameters(z.strictObject({ limit: z.string().optional() }));
    expect(errorOf(() => check({ size: '1' })).details).toEqual({
      issues: [{ path: 'size', code: 'unrecognized_keys', message: 'is not a recognized parameter. Allowed: limit' }],
    });
  });
});

test('a bad parameter is BAD_REQUEST, a bad body VALIDATION_ERROR', () => {
  expect(errorOf(() => checkParameters(schema)({}))).toMatchObject({
    code: 'BAD_REQUEST',
    details: { issues: [{ path: 'name' }] },
  });
  expect(errorOf(() => checkBody(schema)({}))).toMatchObject({
    code: 'VALIDATION_ERROR',
    details: { issues: [{ path: 'name' }] },
  });
});

test('a missing body is an empty object; null is not valid', () => {
  expect(checkBody(z.strictObject({}))(undefined)).toEqual({});
  expect(errorOf(() => checkBody(z.strictObject({}))(null)).code).toBe('VALIDATION_ERROR');
});

test.each([[undefined], [{}]])('an operation without a body accepts %p', (value) => {
  expect(checkNoBody(value)).toEqual({});
});

test.each([[null], [[]], [''], [0], [false], [{ a: 1 }]])('an operation without a body rejects %p', (value) => {
  expect(errorOf(() => checkNoBody(value))).toMatchObject({ code: 'BAD_REQUEST', details: { reason: 'BODY_NOT_ALLOWED' } });
});

describe('responses', () => {
  const write = responseWriter(z.object({ id: z.string(), n: z.int() }));

  it('contain only what the schema names', () => {
    expect(write({ id: 'a', n: 1, secret: 'x' })).toBe('{"id":"a","n":1}');
  });

  it('responses that do not match the schema throw an error with the path and without the value', () => {
    expect(() => write({ id: 'a', n: 'secret-value' })).toThrow(/^A response does not match its schema: n$/);
  });
});

describe('NS2: maps', () => {
  const bodyOf = (count: number): Record<string, number> =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`name-${n}`, n]));

  it('are counted before any of their members is looked at', () => {
    const seen: number[] = [];
    const member = z.int().refine((value) => seen.push(value) > 0);
    const map = mapOf(z.record(z.string(), member), { max: 3, problem: 'must have at most 3 names', documented: {} });
    const body = z.strictObject({ map });
    expect(issues({ map: bodyOf(100_000) }, body)).toEqual([
      { path: 'map', code: 'custom', message: 'must have at most 3 names' },
    ]);
    expect(seen).toEqual([]);
    expect(checkBody(body)({ map: bodyOf(3) })).toEqual({ map: bodyOf(3) });
    expect(seen.length).toBeGreaterThan(0);
  });

  it('are named when they are something else, and their members when one is wrong', () => {
    const body = z.strictObject({ total: amountsByCurrency.optional(), metadata: ownMetadata.nullable().optional() });
    for (const total of [null, 7, 'x', []]) expect(issues({ total }, body)).toMatchObject([{ path: 'total' }]);
    expect(issues({ total: { usd: 0 } }, body)).toMatchObject([{ path: 'total.usd', message: 'must be at least 1' }]);
    expect(issues({ metadata: bodyOf(21) }, body)).toMatchObject([{ path: 'metadata', message: 'must have at most 20 keys' }]);
    expect(checkBody(body)({ total: { USD: 5 }, metadata: null })).toEqual({ total: { usd: 5 }, metadata: null });
  });
});
