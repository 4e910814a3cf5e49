import type { PayoutRecord } from './payout-record.wire.ts';
import { payoutExample } from './payouts.examples.ts';

export const payoutRecordExample: PayoutRecord = {
  ...payoutExample,
  sendCount: null,
  situation: { state: 'queued', reason: null, waitsFor: 'nobody', until: null, next: null },
};
