import fc from 'fast-check';
import { NOWHERE, ownPath, path, url } from '../../../src/console/url.ts';

test.each([
  '/console',
  '/',
  '?page=2',
  '#main',
  'https://acme.example/a?b=c#d',
  'HTTP://acme.example',
  'mailto:a@b.example',
  '/a//b',
])('%s may be opened', (text) => {
  expect(url(text)).toBe(text);
});

test.each([
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  ' javascript:alert(1)',
  'java\nscript:alert(1)',
  '\u0001javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  '//evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  '\\\\evil.example',
  'https:evil.example',
  'file:///etc/passwd',
  'blob:https://acme.example/1',
  'console',
  '',
])('%j may not be opened', (text) => {
  expect(url(text)).toBe(NOWHERE);
});

test('whatever is accepted leads to a web page, a mail program or this origin', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.constantFrom('', '/', 'javascript:', '//', 'https://'), (text, start) => {
      const parsed = new URL(url(start + text), 'https://own.example/console/');
      const isOwn = (start + text).startsWith('/') || url(start + text) === NOWHERE;
      expect(['http:', 'https:', 'mailto:']).toContain(parsed.protocol);
      if (isOwn) expect(parsed.origin).toBe('https://own.example');
    }),
  );
});

test('a redirect leads to this origin only', () => {
  expect(ownPath('/console?a=b', '/')).toBe('/console?a=b');
  for (const text of ['https://evil.example', '//evil.example', '/\\evil.example', 'console', '#x', undefined]) {
    expect(ownPath(text, '/portal')).toBe('/portal');
  }
});

test('parts of a path are encoded, and empty values of the query are left out', () => {
  expect(path('/console/payouts/{id}', { id: 'a/../b?c#d' }, { status: 'x&y', cursor: undefined, q: '' })).toBe(
    '/console/payouts/a%2F..%2Fb%3Fc%23d?status=x%26y',
  );
  expect(path('/i/{token}', { token: '..' })).toBe('/i/%2E%2E');
  expect(() => path('/i/{token}', {})).toThrow('needs token');
});
