import type { PayoutDetails } from '../../../contracts/payouts.ts';
import type { Context } from '../../../platform/context.ts';
import { receiverOf } from '../holds/receiver.rules.ts';
import type { Payout } from '../payout.entity.ts';

/** Where the payout is sent, in clear. Null after the recipient was erased, which only happens to a final payout. */
export const readDetails = (ctx: Context, { id, details }: Pick<Payout, 'id' | 'details'>): PayoutDetails | null => {
  if (!details) return null;
  return JSON.parse(ctx.cipher.decrypt(details, { table: 'payout', column: 'details', row: id })) as PayoutDetails;
};

/** The address or account that a payout is sent to, in clear. Null after an erasure. */
export const readPaymentReceiver = (ctx: Context, payout: { id: string; details: string | null }): string | null => {
  const details = readDetails(ctx, payout);
  return details && receiverOf(details);
};
