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

test('other bytes stay as they are', () => {
  const bytes = Buffer.from([0x00, 0xff, 0xc3, 0x28, 0x1b]);
  const excerpt = Buffer.concat([bytes, Buffer.from('secret-value'), bytes]);
  const expected = Buffer.concat([bytes, Buffer.from('****'), bytes]);
  expect(maskValues(response(excerpt), ['secret-value']).excerpt.equals(expected)).toBe(true);
});
