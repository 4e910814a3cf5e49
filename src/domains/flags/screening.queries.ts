import { SCREENING_LIMITS } from '../../contracts/screening-limits.ts';
import { MAX_COUNTED_BACKLOG, type ScreeningBacklog } from '../../contracts/workflows/screening.ts';
import { after, DAY_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { execute, firstRow, rows, sql, toIsoOrNull } from '../../platform/database/sql.ts';
import { anyOf, columnsOf } from '../../platform/database/table.ts';
import { invariant } from '../../platform/errors.ts';
import { db, type Tables } from '../tables.ts';

/** A conversion that is not screened yet. Email addresses are keyed digests. */
export interface UnscreenedRow {
  id: string;
  affiliateId: string;
  programId: string;
  merchantId: string;
  buyerEmail: string | null;
  buyerEmailDomain: string | null;
  userAgent: string | null;
  secondsAfterClick: number | null;
  isOwnClick: boolean;
  reviewNewAffiliates: boolean;
}

/** A class of advisory locks of its own; the second key is the shard. */
const SHARD_LOCKS = 7_201_998;

/** Selects rows with an `affiliateId` by their shard, with the same expression as the partial indexes. */
export const isOfShard = (shard: number) => sql<boolean>`screening_shard(affiliate_id) = ${shard}`;

/** One transaction screens a shard at a time. */
export const lockShard = async (ctx: Context, shard: number): Promise<void> => {
  await execute(ctx.em, sql`select pg_advisory_xact_lock(${SHARD_LOCKS}, ${shard})`);
};

/**
 * The oldest unscreened conversions of a shard, which are counted in the numbers of their affiliates. The caller must hold the
 * shard's lock and mark them as screened in the same transaction: so each is counted once. A template, as its parts change rows.
 */
export const countUnscreened = (ctx: Context, shard: number, limit: number): Promise<UnscreenedRow[]> => {
  const sessionsSince = after(ctx.clock.now(), -SCREENING_LIMITS.sessionDays * DAY_MS).toISOString();
  return rows(
    ctx.em,
    sql<UnscreenedRow>`with batch as materialized (
        select c.id, c.affiliate_id, c.program_id, c.merchant_id, c.created_at, s.occurred_at, s.customer_canonical_digest,
          s.customer_email_domain, s.metadata, (s.evidence ->> 'clickId')::uuid as click_id
        from conversion c join sale s on s.id = c.sale_id
        where screening_shard(c.affiliate_id) = ${shard} and c.screened_at is null order by c.id limit ${limit}),
      counted as (
        insert into conversion_hour as n (affiliate_id, hour, conversions, from_clicks)
        select affiliate_id, date_trunc('hour', created_at), count(*), count(click_id) from batch group by 1, 2
        on conflict (affiliate_id, hour) do update set
          conversions = n.conversions + excluded.conversions, from_clicks = n.from_clicks + excluded.from_clicks)
      select ${columnsOf<Tables['conversion']>(['id', 'affiliateId', 'programId', 'merchantId'], 'b')},
        b.customer_canonical_digest as "buyerEmail", b.customer_email_domain as "buyerEmailDomain",
        coalesce(b.metadata ->> 'userAgent', b.metadata ->> 'user_agent') as "userAgent",
        extract(epoch from b.occurred_at - uuid_extract_timestamp(b.click_id)) as "secondsAfterClick",
        b.click_id is not null and not a.profile_hidden and exists (select from click k join affiliate_session s on s.browser = k.browser
          where k.id = b.click_id and s.profile_id = a.profile_id and s.seen_at > ${sessionsSince} offset 0) as "isOwnClick",
        ${columnsOf<Tables['program']>(['reviewNewAffiliates'], 'p')}
      from batch b join program p on p.id = b.program_id join affiliate a on a.id = b.affiliate_id order by b.id`,
  );
};

export interface AffiliateRow {
  id: string;
  profileId: string;
  isNew: boolean;
  /** Whether clicks of the affiliate are under review. */
  hasClickFlag: boolean;
  email: string;
  /** Payout details as ciphertext: the owner's, and those that the merchant entered. A flag would tell of hidden ones. */
  ownDetails: string | null;
  enteredDetails: string | null;
  conversionsLastDay: number;
  conversionsBefore: number;
  daysBefore: number;
  clicks: number;
  conversionsFromClicks: number;
}

/** Numbers are kept by the hour, so that the last 24 hours are 23 to 24. A template, for its look-ups by affiliate. */
export const listAffiliateFacts = (ctx: Context, ids: readonly string[]): Promise<AffiliateRow[]> => {
  const now = ctx.clock.now();
  const dayAgo = sql`${after(now, -DAY_MS).toISOString()}::timestamptz`;
  const since = sql`${after(now, -SCREENING_LIMITS.historyDays * DAY_MS).toISOString()}::timestamptz`;
  return rows(
    ctx.em,
    sql<AffiliateRow>`select ${columnsOf<Tables['affiliate']>(['id', 'profileId'], 'a')}, a.trust_tier = 'new' as "isNew", f.email,
        exists (select from flag g where g.affiliate_id = a.id and g.type = 'high_click_frequency' and g.status = 'open') as "hasClickFlag",
        case when not a.profile_hidden then f.payout_details end as "ownDetails", a.payout_details as "enteredDetails",
        coalesce(n.last_day, 0) as "conversionsLastDay", coalesce(n.before, 0) as "conversionsBefore",
        coalesce(n.from_clicks, 0) as "conversionsFromClicks", coalesce(k.clicks, 0) as clicks,
        coalesce(greatest(extract(epoch from ${dayAgo} - greatest(c.created_at, ${since})) / 86400, 0), 0) as "daysBefore"
      from affiliate a join affiliate_profile f on f.id = a.profile_id
      left join lateral (select sum(conversions) filter (where hour > ${dayAgo}) as last_day,
          sum(conversions) filter (where hour <= ${dayAgo}) as before, sum(from_clicks) as from_clicks
        from conversion_hour where affiliate_id = a.id and hour >= ${since}) n on true
      left join lateral (select sum(clicks) as clicks from click_hour where affiliate_id = a.id and hour >= ${since}) k on true
      left join lateral (select created_at from conversion where affiliate_id = a.id order by created_at, id limit 1) c on true
      where a.id = ${anyOf(ids)}`,
  );
};

/** The conversions of a shard that wait to be screened. */
export const findBacklog = async (ctx: Context, shard: number): Promise<ScreeningBacklog> => {
  const unscreened = db
    .selectFrom('conversion')
    .select('createdAt')
    .where(isOfShard(shard))
    .where('screenedAt', 'is', null)
    .orderBy('id')
    .limit(MAX_COUNTED_BACKLOG);
  const row = await firstRow(
    ctx.em,
    db
      .selectFrom(unscreened.as('found'))
      .select(({ fn }) => [fn.countAll<number>().as('waiting'), fn.min<string | null>('createdAt').as('oldest')]),
  );
  invariant(row, 'an aggregate returns a row');
  return { waiting: row.waiting, waitingSince: toIsoOrNull(row.oldest) };
};
