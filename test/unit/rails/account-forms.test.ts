import { z } from 'zod';
import { isPaidFromMerchant, RAIL_NAMES } from '../../../src/contracts/rails.ts';
import { definitionOf } from '../../../src/domains/payouts/rails/rails.ts';
import { faultWord, findingText } from '../../../src/texts/rail-accounts.merchant.en.ts';

test.each(RAIL_NAMES.filter((rail) => isPaidFromMerchant(rail)))(
  'the form of %s has a field for what its account needs',
  (rail) => {
    const { accountSchema, form = [], learned = [], secrets } = definitionOf(rail);
    const { properties = {}, required = [] } = z.toJSONSchema(accountSchema, { io: 'input', unrepresentable: 'any' });
    const names = form.map(({ name }) => name.split('.')[0] ?? '');
    expect(names.filter((name) => !(name in properties) || learned.includes(name))).toEqual([]);
    expect(required.filter((name) => !form.some((field) => field.name === name && field.isRequired))).toEqual([]);
    expect(form.filter(({ kind }) => kind === 'secret').map(({ name }) => name)).toEqual(
      secrets.filter((name) => !learned.includes(name)),
    );
    expect(learned.filter((name) => required.includes(name))).toEqual([]);
  },
);

test('a code is said in words, with the code of the provider', () => {
  expect(faultWord('paypal', 'INSUFFICIENT_FUNDS')).toBe(
    "PayPal refused: there isn't enough money in the account (INSUFFICIENT_FUNDS)",
  );
  expect(faultWord('sepa', 'AM04')).toBe("SEPA refused: there isn't enough money in the account (AM04)");
  expect(faultWord('paypal', 'OF_TOMORROW')).toBe('PayPal refused: OF_TOMORROW');
  expect(findingText('paypal', 'of_tomorrow').text).toContain('of_tomorrow');
});
