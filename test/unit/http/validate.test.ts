import { z } from 'zod';
import type { AppError } from '../../../src/platform/errors.ts';
import { checkBody, checkNoBody, checkParameters, issuesOf, responseWriter } from '../../../src/platform/http/validate.ts';

const schema = z.strictObject({ name: z.string().max(3), items: z.array(z.strictObject({ n: z.int() })).optional() });
const issues = (value: unknown) => issuesOf(schema.safeParse(value).error as z.ZodError);
const refusalOf = (act: () => unknown): AppError => {
  try {
    act();
  } catch (error) {
    return error as AppError;
  }
  throw new Error('nothing was refused');
};

describe('issues', () => {
  it('name the place by its path', () => {
    expect(issues({ name: 'abc', items: [{ n: 1 }, { n: 'x' }] })).toEqual([
      { path: 'items.1.n', code: 'invalid_type', message: expect.any(String) },
    ]);
  });

  it('name an unknown field, also further inside', () => {
    expect(issues({ name: 'a', extra: 1 })).toEqual([{ path: 'extra', code: 'unrecognized_keys', message: 'unknown field' }]);
    expect(issues({ name: 'a', items: [{ n: 1, m: 2 }] })).toMatchObject([{ path: 'items.0.m' }]);
  });

  it('never repeat a value', () => {
    const secret = 'whsec_very-secret';
    expect(JSON.stringify(issues({ name: secret, items: [{ n: secret }] }))).not.toContain(secret);
  });

  it('are twenty at most, with names of 200 characters at most', () => {
    expect(issues({ name: 'a', items: Array.from({ length: 50 }, () => ({ n: 'x' })) })).toHaveLength(20);
    expect(issues({ name: 'a', ['x'.repeat(5_000)]: 1 })[0]?.path).toHaveLength(200);
  });
});

test('a bad parameter is BAD_REQUEST, a bad body VALIDATION_ERROR', () => {
  expect(refusalOf(() => checkParameters(schema)({}))).toMatchObject({
    code: 'BAD_REQUEST',
    details: { issues: [{ path: 'name' }] },
  });
  expect(refusalOf(() => checkBody(schema)({}))).toMatchObject({
    code: 'VALIDATION_ERROR',
    details: { issues: [{ path: 'name' }] },
  });
});

test('no body is an empty object; null is none', () => {
  expect(checkBody(z.strictObject({}))(undefined)).toEqual({});
  expect(refusalOf(() => checkBody(z.strictObject({}))(null)).code).toBe('VALIDATION_ERROR');
});

test.each([[undefined], [{}]])('where none is taken, %p passes', (value) => {
  expect(checkNoBody(value)).toEqual({});
});

test.each([[null], [[]], [''], [0], [false], [{ a: 1 }]])('where none is taken, %p does not', (value) => {
  expect(refusalOf(() => checkNoBody(value))).toMatchObject({ code: 'BAD_REQUEST', details: { reason: 'BODY_NOT_ALLOWED' } });
});

describe('answers', () => {
  const write = responseWriter(z.object({ id: z.string(), n: z.int() }));

  it('leave out what the schema does not name', () => {
    expect(write({ id: 'a', n: 1, secret: 'x' })).toBe('{"id":"a","n":1}');
  });

  it('that do not fit are a fault that names the place and no value', () => {
    expect(() => write({ id: 'a', n: 'secret-value' })).toThrow(/^An answer does not fit its schema: n$/);
  });
});
