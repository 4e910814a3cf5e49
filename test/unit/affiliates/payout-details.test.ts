import { parsePayoutDetails } from '../../../src/domains/affiliates/payout-details.steps.ts';

const bank = { bankIban: 'DE89 3704 0044 0532 0130 00', bankAccountHolder: 'Ada Byron' };
const validationErrorAt = (path: string) =>
  expect.objectContaining({ code: 'VALIDATION_ERROR', details: { issues: [expect.objectContaining({ path })] } });

test('no payout input gives no details', () => {
  expect(parsePayoutDetails({})).toBeNull();
});

test('an IBAN with its account holder selects bank transfer', () => {
  expect(parsePayoutDetails(bank)).toMatchObject({
    payoutMethod: 'bank_transfer',
    paypalEmail: null,
    bankIban: 'DE89370400440532013000',
    bankAccountHolder: 'Ada Byron',
  });
});

test('PayPal is selected when both are provided', () => {
  const details = parsePayoutDetails({ ...bank, paypalEmail: ' ada@blog.example ' });
  expect(details).toMatchObject({ payoutMethod: 'paypal', paypalEmail: 'ada@blog.example', bankIban: 'DE89370400440532013000' });
});

test.each([
  ['payout.paypalEmail', { paypalEmail: 'ada' }],
  ['payout.bankIban', { ...bank, bankIban: 'DE88370400440532013000' }],
  ['payout.bankAccountHolder', { bankIban: bank.bankIban }],
  ['payout.bankAccountHolder', { bankAccountHolder: 'Ada' }],
  ['payout.bankAccountHolder', { ...bank, bankAccountHolder: ' ' }],
])('an invalid value is reported at its field: %s', (path, input) => {
  expect(() => parsePayoutDetails(input)).toThrow(validationErrorAt(path));
});

test('BR12: the account holder is one line in one form, without invisible characters', () => {
  const input = { bankIban: 'DE89370400440532013000', bankAccountHolder: ' Jose\u0301\u200b M\u00fcller\u202c ' };
  expect(parsePayoutDetails(input)?.bankAccountHolder).toBe('Jos\u00e9 M\u00fcller');
});
