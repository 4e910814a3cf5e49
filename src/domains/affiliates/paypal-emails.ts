import type { Context } from '../../platform/context.ts';
import { decryptPayoutInfo } from './payout-details.ts';

/** The PayPal addresses of an affiliate: the owner's, and the one that the merchant entered. The arguments are as stored. */
export const paypalEmailsOf = (
  ctx: Context,
  stored: { id: string; profileId: string; ownDetails: string | null; enteredDetails: string | null },
): string[] => {
  const { id, profileId, ownDetails, enteredDetails } = stored;
  const own = ownDetails === null ? null : decryptPayoutInfo(ctx, { table: 'affiliate_profile', id: profileId }, ownDetails);
  const entered = enteredDetails === null ? null : decryptPayoutInfo(ctx, { table: 'affiliate', id }, enteredDetails);
  return [own?.paypalEmail, entered?.paypalEmail].filter((email) => email !== null && email !== undefined);
};
