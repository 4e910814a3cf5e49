import type { PayoutMethod } from '../../contracts/affiliates.ts';
import type { PayoutDetails } from '../../contracts/payouts.ts';
import { after, HOUR_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import { decryptPayoutInfo } from './payout-details.ts';
import { payoutDetailsFor } from './payout-info.ts';

/** Where an affiliate is paid, as stored. */
interface StoredPayoutDestination {
  affiliateId: string;
  profileId: string;
  payoutMethod: PayoutMethod | null;
  /** The owner's; null while the profile is hidden or has no method. */
  ownDetails: string | null;
  /** As the merchant entered them. */
  enteredDetails: string | null;
  detailsChangedAt: string | null;
  /** For how long the merchant waits after a change. */
  cooldownHours: number;
}

const hasOwn = sql`not a.profile_hidden and f.payout_method is not null`;

/** Of an affiliate `a`, its profile `f` and its merchant `m`. One statement reads all of it: the details may change meanwhile. */
const columns = sql<StoredPayoutDestination>`a.id as "affiliateId", f.id as "profileId",
  case when ${hasOwn} then f.payout_method else a.payout_method end as "payoutMethod",
  case when ${hasOwn} then f.payout_details end as "ownDetails", a.payout_details as "enteredDetails",
  greatest(case when not a.profile_hidden then f.payout_details_changed_at end, a.payout_details_changed_at) as "detailsChangedAt",
  m.details_cooldown_hours as "cooldownHours"`;

export interface PayoutDestination {
  /** For the given method or, by default, the chosen one; null when a field that it needs is missing. */
  details: PayoutDetails | null;
  /** Until when no payout may be created after a change of the details; null when it may. */
  cooldownUntil: Date | null;
}

/** The details that the owner entered or, without any, those that the merchant did. */
const open = (ctx: Context, row: StoredPayoutDestination, method: PayoutMethod | null = row.payoutMethod): PayoutDestination => {
  const [own, entered] = [row.ownDetails, row.enteredDetails];
  const info =
    own === null
      ? entered && decryptPayoutInfo(ctx, { table: 'affiliate', id: row.affiliateId }, entered)
      : decryptPayoutInfo(ctx, { table: 'affiliate_profile', id: row.profileId }, own);
  const cooldownMs = ctx.settings.scaled(row.cooldownHours * HOUR_MS);
  const usableFrom = row.detailsChangedAt === null ? null : after(new Date(row.detailsChangedAt), cooldownMs);
  return {
    details: info ? payoutDetailsFor(info, method) : null,
    cooldownUntil: usableFrom !== null && usableFrom > ctx.clock.now() ? usableFrom : null,
  };
};

/** Without details for an unknown affiliate. */
const find = async (
  ctx: Context,
  { affiliateId, method }: { affiliateId: string; method?: PayoutMethod | undefined },
): Promise<PayoutDestination> => {
  const row = await firstRow(
    ctx.em,
    sql<StoredPayoutDestination>`select ${columns} from affiliate a
      join affiliate_profile f on f.id = a.profile_id join merchant m on m.id = a.merchant_id
      where a.id = ${affiliateId}::uuid`,
  );
  return row ? open(ctx, row, method) : { details: null, cooldownUntil: null };
};

/** `columns` and `open` are for statements of other domains that read affiliates. */
export const PAYOUT_DESTINATION = { columns, open, find };
