import { type Context, profileOf } from '../../platform/context.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import { invariant } from '../../platform/errors.ts';
import { decryptPayoutInfo } from './payout-details.ts';
import { NO_PAYOUT_INFO, type PayoutInfo } from './payout-info.ts';
import { type PayoutInfoView, toPayoutInfo } from './payout-info.wire.ts';

/** Of a profile that was read already. */
export const openPayoutInfo = (ctx: Context, profileId: string, ciphertext: string | null | undefined): PayoutInfo =>
  ciphertext ? decryptPayoutInfo(ctx, { table: 'affiliate_profile', id: profileId }, ciphertext) : NO_PAYOUT_INFO;

/** Of the caller. */
export const getPayoutInfo = async (ctx: Context): Promise<PayoutInfoView> => {
  const id = profileOf(ctx);
  const row = await firstRow(
    ctx.em,
    sql<{ ciphertext: string | null }>`select payout_details as ciphertext from affiliate_profile where id = ${id}::uuid`,
  );
  invariant(row, 'an affiliate key belongs to a profile');
  return toPayoutInfo(openPayoutInfo(ctx, id, row.ciphertext));
};
