import {
  changePayoutInfo,
  hasSameDestination,
  NO_PAYOUT_INFO,
  type PayoutInfo,
  payoutDetailsFor,
} from '../../../src/domains/affiliates/payout-info.rules.ts';

const PAYPAL: PayoutInfo = { ...NO_PAYOUT_INFO, payoutMethod: 'paypal', paypalEmail: 'ada@blog.example' };
const BANK: PayoutInfo = {
  ...NO_PAYOUT_INFO,
  payoutMethod: 'bank_transfer',
  bankIban: 'DE89370400440532013000',
  bankAccountHolder: 'Ada Byron',
};
const errorAt = (path: string) =>
  expect.objectContaining({ code: 'VALIDATION_ERROR', details: { issues: [expect.objectContaining({ path })] } });

test('fields that are left out stay, and null clears a field', () => {
  const named = changePayoutInfo(PAYPAL, { firstName: 'Ada', city: undefined });
  expect(named).toEqual({ ...PAYPAL, firstName: 'Ada' });
  expect(changePayoutInfo(named, { firstName: null })).toEqual(PAYPAL);
});

test('without a method, the one whose details are complete is chosen, PayPal first', () => {
  const { bankIban, bankAccountHolder } = BANK;
  expect(changePayoutInfo(NO_PAYOUT_INFO, { bankIban, bankAccountHolder }).payoutMethod).toBe('bank_transfer');
  const both = { bankIban, bankAccountHolder, paypalEmail: 'ada@blog.example' };
  expect(changePayoutInfo(NO_PAYOUT_INFO, both).payoutMethod).toBe('paypal');
  expect(changePayoutInfo(NO_PAYOUT_INFO, { firstName: 'Ada' }).payoutMethod).toBeNull();
});

test('a method that was chosen stays when details of the other one are added', () => {
  expect(changePayoutInfo(BANK, { paypalEmail: 'ada@blog.example' }).payoutMethod).toBe('bank_transfer');
});

test('the method can be cleared while its details stay', () => {
  expect(changePayoutInfo(PAYPAL, { payoutMethod: null })).toEqual({ ...PAYPAL, payoutMethod: null });
});

test.each<[string, PayoutInfo, object]>([
  ['paypalEmail', PAYPAL, { paypalEmail: null }],
  ['paypalEmail', BANK, { payoutMethod: 'paypal' }],
  ['bankIban', PAYPAL, { payoutMethod: 'bank_transfer' }],
  ['bankIban', BANK, { bankIban: null, bankAccountHolder: null }],
  ['bankAccountHolder', BANK, { bankAccountHolder: null }],
  ['bankAccountHolder', PAYPAL, { bankIban: 'DE89370400440532013000' }],
  ['bankAccountHolder', PAYPAL, { bankAccountHolder: 'Ada' }],
  ['bankBic', PAYPAL, { bankBic: 'COBADEFFXXX' }],
  ['bankBic', BANK, { bankBic: 'BNPAFRPPXXX' }],
])('an inconsistent %s is reported at its field', (path, current, changes) => {
  expect(() => changePayoutInfo(current, changes)).toThrow(errorAt(path));
});

test('the BIC is of a bank in the country of the IBAN, or in a territory that uses its IBANs', () => {
  expect(changePayoutInfo(BANK, { bankBic: 'COBADEFFXXX' }).bankBic).toBe('COBADEFFXXX');
  const french = { ...BANK, bankIban: 'FR1420041010050500013M02606' };
  expect(changePayoutInfo(french, { bankBic: 'BNPAREREXXX' }).bankBic).toBe('BNPAREREXXX');
  expect(() => changePayoutInfo(BANK, { bankBic: 'BNPAREREXXX' })).toThrow(errorAt('bankBic'));
});

test('a change of the country needs another BIC', () => {
  const current = changePayoutInfo(BANK, { bankBic: 'COBADEFFXXX' });
  expect(() => changePayoutInfo(current, { bankIban: 'FR1420041010050500013M02606' })).toThrow(errorAt('bankBic'));
  expect(changePayoutInfo(current, { bankIban: 'FR1420041010050500013M02606', bankBic: null }).bankBic).toBeNull();
});

test('names and addresses are not the destination; the method, the accounts, the holder and the bank are', () => {
  expect(hasSameDestination(PAYPAL, { ...PAYPAL, firstName: 'Ada', vatId: 'DE1' })).toBe(true);
  for (const change of [{ payoutMethod: null }, { paypalEmail: 'b@blog.example' }, { bankIban: 'x' }, { bankBic: 'x' }]) {
    expect(hasSameDestination(PAYPAL, { ...PAYPAL, ...change })).toBe(false);
  }
});

test('a payout gets the fields of the destination only, and none when one that its method needs is missing', () => {
  const full = { ...PAYPAL, firstName: 'Ada', addressLine1: 'Street 1' };
  expect(payoutDetailsFor(full, 'paypal')).toEqual({
    method: 'paypal',
    paypalEmail: 'ada@blog.example',
    bankIban: null,
    bankBic: null,
    bankAccountHolder: null,
  });
  expect(payoutDetailsFor(full, 'bank_transfer')).toBeNull();
  expect(payoutDetailsFor({ ...full, ...BANK }, 'bank_transfer')).toMatchObject({
    method: 'bank_transfer',
    bankIban: BANK.bankIban,
  });
  expect(payoutDetailsFor(full, null)).toBeNull();
});
