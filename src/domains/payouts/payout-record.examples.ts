import type { PayoutDetail, PayoutRecord } from './payout-record.wire.ts';
import { payoutExample } from './payouts.examples.ts';

export const payoutRecordExample: PayoutRecord = {
  ...payoutExample,
  sendCount: null,
  retriedBy: null,
  replacedBy: null,
  situation: { state: 'queued', reason: null, waitsFor: 'nobody', until: null, next: null },
};

export const payoutDetailExample: PayoutDetail = {
  ...payoutRecordExample,
  references: { batch: null, item: null, transaction: null, file: null, booking: null },
  conversion: null,
  availableActions: [
    { action: 'approve', refusedBecause: 'APPROVAL_NOT_REQUIRED' },
    { action: 'cancel', refusedBecause: null },
    { action: 'process', refusedBecause: 'RAIL_NOT_MANUAL' },
    { action: 'read_instructions', refusedBecause: 'RAIL_NOT_MANUAL' },
    { action: 'complete', refusedBecause: 'RAIL_NOT_MANUAL' },
    { action: 'fail', refusedBecause: 'RAIL_NOT_MANUAL' },
    { action: 'return', refusedBecause: 'ILLEGAL_TRANSITION' },
    { action: 'resolve', refusedBecause: 'NOTHING_TO_RESOLVE' },
    { action: 'retry', refusedBecause: 'NOT_FAILED' },
  ],
};
