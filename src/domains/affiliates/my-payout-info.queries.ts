import { type Context, profileOf } from '../../platform/context.ts';
import { firstRow } from '../../platform/database/sql.ts';
import { invariant } from '../../platform/errors.ts';
import { db } from '../tables.ts';
import { openPayoutInfo } from './payout-details.steps.ts';
import { cooldownUntil, latestOf } from './payout-info.queries.ts';
import { payoutDetailsFor } from './payout-info.rules.ts';
import { type PayoutInfoView, toPayoutInfo } from './payout-info.wire.ts';
import { findRejections } from './rejected-details.steps.ts';

/** Where the caller is paid, masked, and whether it was refused too often. */
export const getPayoutInfo = async (ctx: Context): Promise<PayoutInfoView> => {
  const id = profileOf(ctx);
  const row = await firstRow(
    ctx.em,
    db
      .selectFrom('affiliate_profile')
      .select(['payoutDetails', 'payoutDetailsChangedAt', 'payoutDetailsConfirmedAt', 'payoutCooldownUntil'])
      .where('id', '=', id),
  );
  invariant(row, 'an affiliate key belongs to a profile');
  const info = openPayoutInfo(ctx, id, row.payoutDetails);
  const details = payoutDetailsFor(info, info.payoutMethod);
  const detailsSince = latestOf(row.payoutDetailsChangedAt, row.payoutDetailsConfirmedAt);
  const [rejection] = await findRejections(ctx, [{ merchantId: null, details, detailsSince }]);
  return toPayoutInfo(info, {
    detailsRejected: rejection ?? null,
    detailsCooldownUntil: cooldownUntil(ctx, row.payoutCooldownUntil)?.toISOString() ?? null,
  });
};
