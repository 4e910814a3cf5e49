import { payableBy, payoutDetailsOf } from '../../../src/domains/affiliates/payout-details.ts';

const bank = { bankIban: 'DE89 3704 0044 0532 0130 00', bankAccountHolder: 'Ada Byron' };
const refusalOf = (path: string) =>
  expect.objectContaining({ code: 'VALIDATION_ERROR', details: { issues: [expect.objectContaining({ path })] } });

test('no way to be paid is no details', () => {
  expect(payoutDetailsOf({})).toBeNull();
});

test('an IBAN with its holder is paid by bank transfer', () => {
  expect(payoutDetailsOf(bank)).toEqual({
    method: 'bank_transfer',
    paypalEmail: null,
    bankIban: 'DE89370400440532013000',
    bankAccountHolder: 'Ada Byron',
  });
});

test('PayPal goes first when both ways are given', () => {
  const details = payoutDetailsOf({ ...bank, paypalEmail: ' ada@blog.example ' });
  expect(details).toMatchObject({ method: 'paypal', paypalEmail: 'ada@blog.example', bankIban: 'DE89370400440532013000' });
});

test.each([
  ['payout.paypalEmail', { paypalEmail: 'ada' }],
  ['payout.bankIban', { ...bank, bankIban: 'DE88370400440532013000' }],
  ['payout.bankAccountHolder', { bankIban: bank.bankIban }],
  ['payout.bankAccountHolder', { bankAccountHolder: 'Ada' }],
  ['payout.bankAccountHolder', { ...bank, bankAccountHolder: ' ' }],
])('a mistake is refused by the name of its field: %s', (path, input) => {
  expect(() => payoutDetailsOf(input)).toThrow(refusalOf(path));
});

test('a method can be used only when everything it needs is there', () => {
  const paypal = { method: 'paypal', paypalEmail: 'a@b.example', bankIban: null, bankAccountHolder: null } as const;
  expect(payableBy(paypal, 'paypal')).toEqual(paypal);
  expect(payableBy(paypal, 'bank_transfer')).toBeNull();
  const both = { ...paypal, bankIban: 'DE89370400440532013000', bankAccountHolder: 'Ada' };
  expect(payableBy(both, 'bank_transfer')).toEqual({ ...both, method: 'bank_transfer' });
});
