import { requestIdentity } from '../../../src/platform/idempotency/idempotency.ts';

const request = { callerId: 'key', method: 'POST', path: '/payouts', key: 'k', query: {}, body: {} };
const idOf = (more: Partial<typeof request>): string => requestIdentity({ ...request, ...more }).id.toString('hex');

test.each([
  ['caller', { callerId: 'other' }],
  ['method', { method: 'PUT' }],
  ['path', { path: '/programs' }],
  ['key', { key: 'K' }],
])('another %s is another record', (_name, more) => {
  expect(idOf(more)).not.toBe(idOf({}));
});

test('the body and the query are not part of the record id', () => {
  expect(idOf({ body: { a: 1 }, query: { b: '2' } })).toBe(idOf({}));
});

test('the parts of the id are separated', () => {
  expect(idOf({ path: '/a', key: 'b\nc' })).not.toBe(idOf({ path: '/a\nb', key: 'c' }));
});

describe('fingerprint', () => {
  const printOf = (body: unknown, query: unknown = {}): string =>
    requestIdentity({ ...request, body, query }).fingerprint.toString('hex');

  it.each([
    ['the order of fields', { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }],
    ['fields that are not there', { a: 1, b: undefined }, { a: 1 }],
    ['fields named like numbers', { 2: 'b', 10: 'c', a: 1 }, { a: 1, 10: 'c', 2: 'b' }],
  ])('%s: no difference', (_name, one, other) => {
    expect(printOf(one)).toBe(printOf(other));
  });

  it.each([
    ['a value', { a: 1 }, { a: 2 }],
    ['a type', { a: 1 }, { a: '1' }],
    ['null and nothing', { a: null }, {}],
    ['the order of a list', { a: [1, 2] }, { a: [2, 1] }],
    ['a list and its text', { a: [1, 2] }, { a: '1,2' }],
    ['a list and an object', [], {}],
    ['a name that holds punctuation', { 'a":1,"b': 2 }, { a: 1, b: 2 }],
    ['the place of a value', { a: { b: 1 } }, { a: {}, b: 1 }],
  ])('%s: another one', (_name, one, other) => {
    expect(printOf(one)).not.toBe(printOf(other));
  });

  it('covers the query, separately from the body', () => {
    expect(printOf({}, { a: '1' })).not.toBe(printOf({}, {}));
    expect(printOf({ a: '1' }, {})).not.toBe(printOf({}, { a: '1' }));
  });
});
