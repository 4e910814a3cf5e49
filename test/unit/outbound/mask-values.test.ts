import { maskValues } from '../../../src/platform/outbound/mask-values.ts';

const response = (text: string | Buffer, headers: Record<string, string> = {}) => ({
  headers,
  excerpt: Buffer.from(text),
  status: 500,
});
const masked = (text: string, ...values: string[]): string => maskValues(response(text), values).excerpt.toString();

test('values are masked wherever they occur, also in headers', () => {
  const found = maskValues(response('a secret-value, secret-value', { server: 'at secret-value', date: 'today' }), [
    'secret-value',
  ]);
  expect(found.excerpt.toString()).toBe('a ****, ****');
  expect(found.headers).toEqual({ server: 'at ****', date: 'today' });
  expect(found.status).toBe(500);
});

test('a token is masked without what precedes it, too', () => {
  expect(masked('got Bearer abcdefghij', 'Bearer abcdefghij')).toBe('got ****');
  expect(masked('bad token: abcdefghij', 'Bearer abcdefghij')).toBe('bad token: ****');
});

test('of values that contain each other, the longer one is masked whole', () => {
  expect(masked('abcdefghij abcdefgh', 'abcdefgh', 'abcdefghij')).toBe('**** ****');
});

test('short values are left alone', () => {
  expect(masked('1 acme 1234567', '1', 'acme', '1234567')).toBe('1 acme 1234567');
});

test('a value that was cut off is masked, from 8 characters on', () => {
  expect(masked('token: secret-va', 'secret-value')).toBe('token: ****');
  expect(masked('token: secret-va...', 'secret-value')).toBe('token: ****...');
  expect(masked('token: secret-', 'secret-value')).toBe('token: secret-');
  expect(masked('secret-vsecret-value', 'secret-value')).toBe('********');
});

test('as many values as an endpoint can have, all alike, are masked in one pass over a response that is like all of them', () => {
  const tokens = (header: number) => Array.from({ length: 185 }, (_, i) => `aaaaaaaa${100 + i}${header}`).join(' ');
  const values = Array.from({ length: 10 }, (_, header) => tokens(header));
  expect(masked(`${'a'.repeat(16_000)} aaaaaaaa2845x`, ...values)).toBe('**** ****x');
});

test.each([
  ['JSON', String.raw`{"got":"Bearer ab\/cd+ef==\"gh","n":1}`, '{"got":"****","n":1}'],
  ['JSON with code points', String.raw`{"got":"ab\u002Fcd\u002bef\u003d\u003d\u0022gh"}`, '{"got":"****"}'],
  ['a URL', 'token=ab%2Fcd%2bef%3D%3D%22gh&n=1', 'token=****&n=1'],
  ['HTML', '<p>ab/cd+ef==&quot;gh</p>', '<p>****</p>'],
  ['HTML with code points', '<p>ab&#x2F;cd&#43;ef&#061;=&#34;gh</p>', '<p>****</p>'],
  ['JSON, cut off', String.raw`{"got":"ab\/cd+ef=`, '{"got":"****'],
])('a value is masked as %s escapes it', (_name, text, expected) => {
  expect(masked(text, 'Bearer ab/cd+ef=="gh')).toBe(expected);
});

test('the value may look like an escape itself', () => {
  expect(masked('got x&amp;y%41z-1 and x&amp;amp;y%2541z-1', 'x&amp;y%41z-1')).toBe('got **** and ****');
});

test('other escapes stay as they are', () => {
  expect(masked('a&amp;b \\/ %41 secret-value &lt;', 'secret-value')).toBe('a&amp;b \\/ %41 **** &lt;');
});

test('other bytes stay as they are', () => {
  const bytes = Buffer.from([0x00, 0xff, 0xc3, 0x28, 0x1b]);
  const excerpt = Buffer.concat([bytes, Buffer.from('secret-value'), bytes]);
  const expected = Buffer.concat([bytes, Buffer.from('****'), bytes]);
  expect(maskValues(response(excerpt), ['secret-value']).excerpt.equals(expected)).toBe(true);
});
