import fc from 'fast-check';
import { domainOfEmail, normalizeEmail, parseEmail } from '../../../src/platform/email.ts';

test.each([
  ['ada@example.com', 'ada@example.com'],
  ['  Ada@Example.COM\t', 'Ada@example.com'],
  ['ada+shop@example.com', 'ada+shop@example.com'],
  ['ada@b\u00fccher.example', 'ada@xn--bcher-kva.example'],
  ['ada@xn--80ak6aa92e.xn--p1ai', 'ada@xn--80ak6aa92e.xn--p1ai'],
  ['ada@\u4f8b\u3048.\u30c6\u30b9\u30c8', 'ada@xn--r8jz45g.xn--zckzah'],
  ['\u7528\u6237@example.com', '\u7528\u6237@example.com'],
  ['"ada lovelace"@example.com', '"ada lovelace"@example.com'],
  ['"a@b"@example.com', '"a@b"@example.com'],
  ['"a\\"b"@example.com', '"a\\"b"@example.com'],
  // As some providers have given out, and as RFC 5322 allows.
  ['ada..b.@docomo.example', 'ada..b.@docomo.example'],
  ["o'hara@example.com", "o'hara@example.com"],
  ['!#$%&*/=?^_`{|}~-@example.com', '!#$%&*/=?^_`{|}~-@example.com'],
  ['a@b.co', 'a@b.co'],
  [`${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`],
  // Copied text brings invisible characters along.
  ['\ufeffada\u200b@example\u2060.com\u202c', 'ada@example.com'],
])('BR2: %j is an address', (text, address) => {
  expect(parseEmail(text)).toBe(address);
});

test.each([
  '',
  'ada',
  '@example.com',
  'ada@',
  'ada@localhost',
  'ada@example',
  'ada@[192.0.2.1]',
  'ada@192.0.2.1',
  'ada@example.com.',
  'ada@-example.com',
  'ada@exa mple.com',
  'ada@example.com/path',
  'ada b@example.com',
  'ada,eve@example.com',
  'Ada <ada@example.com>',
  '"<ada"@example.com',
  '"ada"b@example.com',
  '"ada@example.com',
  'ada@b@example.com',
  `${'a'.repeat(65)}@example.com`,
  `${'\u00e9'.repeat(33)}@example.com`,
  `ada@${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(60)}.example`,
])('BR2: %j is no address', (text) => {
  expect(parseEmail(text)).toBeNull();
});

test('BR2: what a customer entered is compared as far as possible, and has a domain only where it names one', () => {
  expect(normalizeEmail(' Not an Address ')).toBe('not an address');
  expect(domainOfEmail('not an address')).toBeNull();
  expect(domainOfEmail('a@b@\u043f\u0440\u0438\u043c\u0435\u0440.\u0440\u0444')).toBe('xn--e1afmkfd.xn--p1ai');
  expect(domainOfEmail('ada@localhost')).toBeNull();
});

test('BR2: an address is read as itself, and an address with a domain in another spelling as the same one', () => {
  const local = fc.string({ unit: fc.constantFrom(..."abcXYZ019.!#$%&'*+/=?^_`{|}~-\u00e9\u7528"), minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(local, fc.domain(), (name, domain) => {
      const address = parseEmail(`${name}@${domain}`);
      if (address === null) throw new Error(`${name}@${domain}`);
      expect(parseEmail(address)).toBe(address);
      expect(parseEmail(` ${name}@${domain.toUpperCase()} `)).toBe(address);
      expect(normalizeEmail(address)).toBe(address.toLowerCase());
    }),
  );
});

test('BR2: any text of at most 320 characters can be compared', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 320 }), (text) => {
      const normalized = normalizeEmail(text);
      expect(normalizeEmail(normalized)).toBe(normalized);
      expect(domainOfEmail(text) ?? 'none').toMatch(/^[a-z0-9.-]+$/);
    }),
  );
});
