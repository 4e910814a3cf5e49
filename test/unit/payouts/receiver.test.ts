import type { PayoutDetails } from '../../../src/contracts/payouts.ts';
import { receiverOf } from '../../../src/domains/payouts/holds/receiver.rules.ts';

const none = { paypalEmail: null, bankIban: null, bankBic: null, bankAccountHolder: null };

test.each<[string, PayoutDetails]>([
  ['ada@example.com', { ...none, method: 'paypal', paypalEmail: 'ada@example.com' }],
  ['DE89370400440532013000', { ...none, method: 'bank_transfer', bankIban: 'DE89370400440532013000' }],
  ['acct_1', { ...none, method: 'bank_transfer', connected: { rail: 'stripe_connect', account: 'acct_1' } }],
  [
    'acct_1',
    {
      ...none,
      method: 'bank_transfer',
      bankIban: 'DE89370400440532013000',
      connected: { rail: 'stripe_connect', account: 'acct_1' },
    },
  ],
])('%s is whom the provider names', (receiver, details) => {
  expect(receiverOf(details)).toBe(receiver);
});
