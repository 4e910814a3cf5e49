import fc from 'fast-check';
import { PAYMENT_PREFIX, paymentPrefixOf } from '../../../src/contracts/payment-references.ts';

test.each([
  ['Northwind Partners', 'NP'],
  ['Northwind', 'NOR'],
  ['Acme Inc.', 'ACM'],
  ['Acme', 'ACM'],
  ['élan vital société', 'EVS'],
  ['A Very Long Name Of Seven Words', 'AVLNO'],
  ['42 Monkeys', 'MON'],
  ['X', 'PAY'],
  ['北風', 'PAY'],
  ['', 'PAY'],
  ['Limited', 'LIM'],
])('references of %p begin with %p', (name, prefix) => {
  expect(paymentPrefixOf(name)).toBe(prefix);
});

test('whatever a company is called, its prefix is one', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (name) => {
      expect(paymentPrefixOf(name)).toMatch(PAYMENT_PREFIX);
    }),
  );
});
