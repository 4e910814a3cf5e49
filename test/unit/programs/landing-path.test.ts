import fc from 'fast-check';
import { isLandingPath } from '../../../src/domains/programs/landing-path.rules.ts';

test.each(['/', '/pricing', '/pricing/', '/a/b-c_d~e.f', '/pricing?plan=pro&x=1', '/%C3%BC', '/@ada', '/?lp=2'])(
  '"%s" is a landing path',
  (path) => {
    expect(isLandingPath(path)).toBe(true);
  },
);

test.each([
  '',
  'pricing',
  '?plan=pro',
  '#top',
  '/pricing#top',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/a/../b',
  '/./a',
  '/%2e%2e/a',
  '/a b',
  ' /a',
  '/a\t',
  '/\n/evil.example',
  '/\t/evil.example',
  '/a\u0000',
  '/ü',
  'https://acme.example/pricing',
  'https:/pricing',
  'javascript:alert(1)',
])('%j is no landing path', (path) => {
  expect(isLandingPath(path)).toBe(false);
});

test('a landing path never leads to another origin', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.webUrl(), fc.stringMatching(/^[/\\.@:a-z\t]{1,12}$/)), (text) => {
      for (const path of [text, `/${text}`]) {
        if (isLandingPath(path)) expect(new URL(path, 'https://acme.example').origin).toBe('https://acme.example');
      }
    }),
    { numRuns: 1_000 },
  );
});
