import { SANDBOX_REFUSED_LOCAL_PART } from '../../../src/contracts/sandbox-limits.ts';
import { RAIL_DEFINITIONS } from '../../../src/domains/payouts/rails/rails.ts';
import { refusalOf, transferOrder } from '../../../src/local/sandbox-provider/transfer.ts';
import { makeAffiliateKey, makePayable } from '../../support/factories.ts';
import { rowsOf, useRailApi } from '../../support/rail-payouts.ts';

const api = useRailApi();

const PAYPAL = { method: 'paypal', bankIban: null, bankBic: null, bankAccountHolder: null } as const;
const BANK = { method: 'bank_transfer', paypalEmail: null, bankBic: null, bankAccountHolder: 'Ada' } as const;
const paypal = (paypalEmail: string) => ({ ...PAYPAL, paypalEmail });
const bank = (bankIban: string) => ({ ...BANK, bankIban });

test.each([
  ['a currency', { amountMinor: 1_000, currency: 'kpw', details: paypal('ok@example.com') }, 'currency'],
  ['a country', { amountMinor: 1_000, currency: 'eur', details: bank('BY13NBRB3600900000002Z00AB00') }, 'country'],
  ['more than it pays', { amountMinor: 1_000_000_001, currency: 'usd', details: paypal('ok@example.com') }, 'above_limit'],
  ['more yen than it pays', { amountMinor: 10_000_001, currency: 'jpy', details: paypal('ok@example.com') }, 'above_limit'],
  [
    'an address that cannot receive',
    { amountMinor: 1_000, currency: 'usd', details: paypal('Cannot-Receive+1@x.org') },
    'destination',
  ],
  ['what it pays', { amountMinor: 1_000_000_000, currency: 'usd', details: paypal('ok@example.com') }, null],
  ['a bank account', { amountMinor: 1_000, currency: 'eur', details: bank('DE89370400440532013000') }, null],
] as const)('the sandbox rail says beforehand what its provider refuses: %s', (_of, order, cause) => {
  expect(RAIL_DEFINITIONS.sandbox.canPay(order, null)).toBe(cause);
  expect(RAIL_DEFINITIONS.manual.canPay(order, null)).toBeNull();
  const { details, currency, amountMinor: amount } = order;
  const recipient =
    details.method === 'paypal'
      ? { type: 'paypal', email: details.paypalEmail }
      : { type: 'bank_account', iban: details.bankIban, holder: 'Ada' };
  const sent = transferOrder.parse({ reference: 'r', amount, currency, recipient });
  expect(refusalOf(sent) === null).toBe(cause === null);
});

const refused = (cause: string) => ({
  status: 409,
  error: { code: 'CONFLICT', details: { reason: 'RAIL_CANNOT_PAY', cause, rail: 'sandbox' } },
});

test('a payout that its rail cannot pay is 409 and promises nothing, and so is a retry', async () => {
  const { key, affiliateId, programId, profileId } = await makePayable(api, { local: SANDBOX_REFUSED_LOCAL_PART });
  const pay = () => api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  expect(await pay()).toMatchObject(refused('destination'));
  expect(await rowsOf(api, 'select 1 from payout where affiliate_id = ?', [affiliateId])).toEqual([]);
  expect(
    await rowsOf(api, 'select payable::int, in_payout::int from ledger_balance where affiliate_id = ?', [affiliateId]),
  ).toEqual([{ payable: 2_000, in_payout: 0 }]);
  const affiliateKey = await makeAffiliateKey(api.runtime, profileId);
  const move = (paypalEmail: string) => api.call('PATCH', '/me/payout-info', { key: affiliateKey, body: { paypalEmail } });
  await move('ok@example.com');
  const { data } = await pay();
  await api.call('POST', `/payouts/${data.id}/cancel`, { key });
  await move('cannot-receive@example.com');
  expect(await api.call('POST', `/payouts/${data.id}/retry`, { key })).toMatchObject(refused('destination'));
});

test('a payout above the limit of its rail is 409', async () => {
  const { key, affiliateId, programId } = await makePayable(api, { amount: 6_000_000_000 });
  const paid = await api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  expect(paid).toMatchObject(refused('above_limit'));
});

test('a payout by hand is refused by no rail', async () => {
  const { key, affiliateId, programId } = await makePayable(api, { local: { holder: 'Ada' }, amount: 6_000_000_000 });
  const paid = await api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  expect(paid).toMatchObject({ status: 201, data: { rail: 'manual' } });
});
