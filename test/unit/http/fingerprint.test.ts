import { recordId } from '../../../src/platform/idempotency/idempotency.ts';

const request = { keyId: 'key', method: 'POST', path: '/payouts', key: 'k', query: {}, body: {} };
const idOf = (more: Partial<typeof request>): string => recordId({ ...request, ...more }).toString('hex');

test.each([
  ['API key', { keyId: 'other' }],
  ['method', { method: 'PUT' }],
  ['path', { path: '/programs' }],
  ['key', { key: 'K' }],
])('another %s is another record', (_name, more) => {
  expect(idOf(more)).not.toBe(idOf({}));
});

test('the body and the query are not part of which record it is', () => {
  expect(idOf({ body: { a: 1 }, query: { b: '2' } })).toBe(idOf({}));
});

test('parts do not run into each other', () => {
  expect(idOf({ path: '/a', key: 'b\nc' })).not.toBe(idOf({ path: '/a\nb', key: 'c' }));
});
