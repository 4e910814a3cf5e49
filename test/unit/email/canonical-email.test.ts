import { isDisposableDomain } from '../../../src/platform/disposable-domain.ts';
import { canonicalEmail } from '../../../src/platform/email.ts';

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
  // Copied text brings invisible characters, other scripts and other forms of the same characters along.
  ['\u200bAda@Example.com\u00a0', 'ada@example.com'],
  ['ada@b\u00fccher.example', 'ada@xn--bcher-kva.example'],
  ['ada@XN--BCHER-KVA.example', 'ada@xn--bcher-kva.example'],
  ['ada@\u043f\u0440\u0438\u043c\u0435\u0440.\u0440\u0444', 'ada@xn--e1afmkfd.xn--p1ai'],
  ['jose\u0301@example.com', 'jos\u00e9@example.com'],
  ['"ada"@example.com', 'ada@example.com'],
  ['"a.d.a+x"@gmail.com', 'ada@gmail.com'],
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
