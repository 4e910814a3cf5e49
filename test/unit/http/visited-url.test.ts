import fc from 'fast-check';
import { visitedUrl } from '../../../src/api/pipeline/visited-url.ts';

test.each([
  ['/r/ada?utm_campaign=50%off', '/r/ada?utm_campaign=50%25off'],
  ['/r/ada%', '/r/ada%25'],
  ['/r/ada?x=%', '/r/ada?x=%25'],
  ['/r/ada?x=%zz&y=%C3%A9', '/r/ada?x=%25zz&y=%C3%A9'],
  ['/r/ada?name=Jos%E9', '/r/ada?name=Jos%C3%A9'],
  ['/r/ada?price=%80100', '/r/ada?price=%E2%82%AC100'],
  ['/r/ada%E2%80', '/r/ada%EF%BF%BD'],
  ['/r/ada%E9?x=%E9', '/r/ada%EF%BF%BD?x=%C3%A9'],
  ['/portal?x=%ed%a0%80', '/portal?x=%C3%AD%C2%A0%E2%82%AC'],
  ['/join/acme/', '/join/acme'],
  ['/join/acme.?x=1', '/join/acme?x=1'],
  ['/join/acme%20', '/join/acme'],
  ['/i/inv_5F0c%E2%80%8B', '/i/inv_5F0c'],
  ['http://x/i/inv_5f0c).', 'http://x/i/inv_5f0c'],
  ['/join/acme/link?token=a&amp;b=1', '/join/acme/link?token=a&b=1'],
  ['/join/acme/code', '/join/acme/code'],
  ['/join/a.b', '/join/a.b'],
  ['*', '*'],
  ['/', '/'],
])('%s is visited as %s', (url, visited) => expect(visitedUrl(url)).toBe(visited));

test.each(['/api/v1/affiliates?search=%zz', '/api/tracking/click?x=%', 'http://x/api/v1/me?x=%ff', '/api'])(
  '%s stays as it is: programs call it',
  (url) => expect(visitedUrl(url)).toBe(url),
);

test('whatever a page is asked for with is one valid address, which stays as it is', () => {
  const path = fc.constantFrom('/r/', '/join/', '/i/', '/script.js', '/console', '/');
  const bytes = fc.string({
    unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
    maxLength: 300,
  });
  const cut = fc.stringMatching(/^(%[0-9a-fA-F]{0,2}|[&?=;a]){0,60}$/);
  fc.assert(
    fc.property(path, fc.oneof(bytes, cut), (start, rest) => {
      const visited = visitedUrl(`${start}${rest}`);
      expect(visited).toMatch(/^[\x21-\x7e]*$/);
      expect(() => decodeURIComponent(visited)).not.toThrow();
      expect(visitedUrl(visited)).toBe(visited);
    }),
  );
});
