import type { PayoutInfoView } from './payout-info.wire.ts';

export const payoutInfoExample: PayoutInfoView = {
  payoutMethod: 'bank_transfer',
  paypalEmail: 'ada@blog.example',
  bankAccountHolder: 'Ada Byron',
  bankIban: '****3000',
  bankBic: 'COBADEFFXXX',
  firstName: 'Ada',
  lastName: 'Byron',
  addressLine1: 'Invalidenstraße 1',
  addressLine2: null,
  city: 'Berlin',
  state: null,
  postalCode: '10115',
  vatId: null,
  detailsRejected: null,
  detailsCooldownUntil: null,
};

export const updatedPayoutInfoExample = {
  data: payoutInfoExample,
  body: { bankIban: 'DE89 3704 0044 0532 0130 00', bankAccountHolder: 'Ada Byron', payoutMethod: 'bank_transfer' },
};
