import type { PayoutDetails } from '../../../contracts/payouts.ts';

/** One transfer to send. */
export interface TransferOrder {
  /** Belongs to the attempt and never changes: every send of the order carries the same key. */
  idempotencyKey: string;
  /** The payout id, as the provider displays it. */
  reference: string;
  amountMinor: number;
  currency: string;
  details: PayoutDetails;
}
