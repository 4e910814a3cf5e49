import type { PayoutDetails } from '../../../contracts/payouts.ts';
import type { Context } from '../../../platform/context.ts';
import type { Payout } from '../payout.entity.ts';

/** Where the payout is sent, in clear. Null after the recipient was erased, which only happens to a final payout. */
export const readDetails = (ctx: Context, { id, details }: Payout): PayoutDetails | null => {
  if (!details) return null;
  return JSON.parse(ctx.cipher.decrypt(details, { table: 'payout', column: 'details', row: id })) as PayoutDetails;
};
