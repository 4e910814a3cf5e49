/** Accounts of one membership, and the program's own expense account on the other side. */
export const ACCOUNTS = ['pending', 'payable', 'in_payout', 'paid', 'merchant_expense'] as const;
export type Account = (typeof ACCOUNTS)[number];

export const TRANSFER_KINDS = [
  'conversion',
  'approval',
  'refund',
  'payout_created',
  'payout_completed',
  'payout_failed',
  'payout_returned',
] as const;
export type TransferKind = (typeof TRANSFER_KINDS)[number];
