import fc from 'fast-check';
import { destinationUrl } from '../../../src/domains/tracking/destination-url.rules.ts';

const token = 'clk_0198f1c29a3f7c0e8d21b6a5f4c3e297';

test('code and token follow the query of the link, and the fragment of the page stays', () => {
  const query = new URLSearchParams('utm_source=ads&plan=free');
  expect(destinationUrl('https://acme.example/a?plan=pro#top', { query, code: 'ada', token })).toBe(
    `https://acme.example/a?plan=pro&utm_source=ads&via=ada&agentref_cid=${token}#top`,
  );
});

test.each(['javascript:alert(1)', 'data:text/html,x', '//evil.example', ''])('%p is no destination', (destination) => {
  expect(destinationUrl(destination, { query: new URLSearchParams(), code: 'ada', token: null })).toBeNull();
});

test('no query changes origin, path, code or token of where a link leads', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })), { maxLength: 40 }), (pairs) => {
      const url = new URL(
        destinationUrl('https://acme.example/start', { query: new URLSearchParams(pairs), code: 'ada', token }) ?? '',
      );
      expect(url.origin + url.pathname).toBe('https://acme.example/start');
      expect([url.searchParams.getAll('via'), url.searchParams.getAll('agentref_cid')]).toEqual([['ada'], [token]]);
      expect(url.search.length).toBeLessThan(15_000);
    }),
  );
});
