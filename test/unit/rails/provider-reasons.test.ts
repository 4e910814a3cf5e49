import { ISO_FAULTS } from '../../../src/contracts/faults.ts';
import { factsOf, RAIL_NAMES } from '../../../src/contracts/rails.ts';
import { providerReason } from '../../../src/texts/provider-reasons.merchant.en.ts';

test.each(RAIL_NAMES.filter((rail) => factsOf(rail) !== null))('every code that %s is known for is said in words', (rail) => {
  const codes = [...(factsOf(rail)?.faults.keys() ?? [])];
  expect(codes.filter((code) => providerReason(rail, code) === null)).toEqual([]);
});

test('the provider is quoted behind the words', () => {
  expect(providerReason('paypal', 'RECEIVER_REFUSED')).toBe('The recipient refused the payment (RECEIVER_REFUSED)');
  expect(providerReason('paypal', 'INSUFFICIENT_FUNDS')).toBe("There isn't enough money in the account (INSUFFICIENT_FUNDS)");
  expect(providerReason('sepa', 'AC04')).toBe("The payee's account is closed (AC04)");
  expect(providerReason('stripe_connect', 'account_closed')).toBe("The recipient's account is closed (account_closed)");
});

test('nothing is said of a code that no list has', () => {
  expect(['OF_TOMORROW', 'constructor', 'ZZ99', ''].map((code) => providerReason('paypal', code))).toEqual([
    null,
    null,
    null,
    null,
  ]);
  expect([...ISO_FAULTS.keys()].filter((code) => providerReason('manual', code) === null)).toEqual([]);
});
