import { canonicalEmail, isDisposableDomain } from '../../../src/platform/email.ts';

it.each([
  ['Ada@Example.com', 'ada@example.com'],
  ['  ada+shop@example.com ', 'ada@example.com'],
  ['ada+a+b@example.com', 'ada@example.com'],
  ['a.d.a+x@gmail.com', 'ada@gmail.com'],
  ['ada@googlemail.com', 'ada@gmail.com'],
  // Elsewhere dots matter, and an address may begin with a plus.
  ['a.da@example.com', 'a.da@example.com'],
  ['+ada@example.com', '+ada@example.com'],
  ['no address', '@no address'],
])('%s is %s', (address, canonical) => {
  expect(canonicalEmail(address)).toBe(canonical);
});

it('a disposable domain is recognized with its subdomains', () => {
  expect(['mailinator.com', 'x.mailinator.com', 'example.com', 'com'].map(isDisposableDomain)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
