/** The accounts of one affiliate, the expense account of the program (`merchant_expense`), and what each rail charged for its payouts. */
export const ACCOUNTS = ['pending', 'payable', 'in_payout', 'paid', 'merchant_expense', 'rail_fees'] as const;
export type Account = (typeof ACCOUNTS)[number];

export const TRANSFER_KINDS = [
  'conversion',
  'approval',
  'refund',
  'refund_reversed',
  'rejection',
  'adjustment',
  'payout_created',
  'payout_completed',
  'payout_failed',
  'payout_returned',
  'payout_resolved_paid',
  'payout_resolved_not_paid',
  'rail_fee',
  'rail_fee_returned',
] as const;
export type TransferKind = (typeof TRANSFER_KINDS)[number];
