import { SCREENING_LIMITS } from '../../contracts/screening-limits.ts';
import { MAX_COUNTED_BACKLOG, type ScreeningBacklog } from '../../contracts/workflows/screening.ts';
import { after, DAY_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { execute, firstRow, isoOf, rows, sql } from '../../platform/database/sql.ts';
import { invariant } from '../../platform/errors.ts';

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

/** One transaction screens a shard at a time. */
export const lockShard = async (ctx: Context, shard: number): Promise<void> => {
  await execute(ctx.em, sql`select pg_advisory_xact_lock(${SHARD_LOCKS}, ${shard})`);
};

/**
 * The oldest unscreened conversions of a shard, which are counted in the numbers of their affiliates. The caller must hold the
 * shard's lock and mark them as screened in the same transaction: so each is counted once.
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
      select b.id, b.affiliate_id as "affiliateId", b.program_id as "programId", b.merchant_id as "merchantId",
        b.customer_canonical_digest as "buyerEmail", b.customer_email_domain as "buyerEmailDomain",
        coalesce(b.metadata ->> 'userAgent', b.metadata ->> 'user_agent') as "userAgent",
        extract(epoch from b.occurred_at - uuid_extract_timestamp(b.click_id))::float8 as "secondsAfterClick",
        b.click_id is not null and not a.profile_hidden and exists (select from click k join affiliate_session s on s.browser = k.browser
          where k.id = b.click_id and s.profile_id = a.profile_id and s.seen_at > ${sessionsSince}::timestamptz offset 0) as "isOwnClick",
        p.review_new_affiliates as "reviewNewAffiliates"
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

/** Numbers are kept by the hour, so that the last 24 hours are 23 to 24. */
export const listAffiliateFacts = (ctx: Context, ids: readonly string[]): Promise<AffiliateRow[]> => {
  const now = ctx.clock.now();
  const dayAgo = sql`${after(now, -DAY_MS).toISOString()}::timestamptz`;
  const since = sql`${after(now, -SCREENING_LIMITS.historyDays * DAY_MS).toISOString()}::timestamptz`;
  return rows(
    ctx.em,
    sql<AffiliateRow>`select a.id, a.profile_id as "profileId", a.trust_tier = 'new' as "isNew", f.email,
        exists (select from flag g where g.affiliate_id = a.id and g.type = 'high_click_frequency' and g.status = 'open') as "hasClickFlag",
        case when not a.profile_hidden then f.payout_details end as "ownDetails", a.payout_details as "enteredDetails",
        coalesce(n.last_day, 0)::int as "conversionsLastDay", coalesce(n.before, 0)::int as "conversionsBefore",
        coalesce(n.from_clicks, 0)::int as "conversionsFromClicks", coalesce(k.clicks, 0)::float8 as clicks,
        coalesce(greatest(extract(epoch from ${dayAgo} - greatest(c.created_at, ${since})) / 86400, 0), 0)::float8 as "daysBefore"
      from affiliate a join affiliate_profile f on f.id = a.profile_id
      left join lateral (select sum(conversions) filter (where hour > ${dayAgo}) as last_day,
          sum(conversions) filter (where hour <= ${dayAgo}) as before, sum(from_clicks) as from_clicks
        from conversion_hour where affiliate_id = a.id and hour >= ${since}) n on true
      left join lateral (select sum(clicks) as clicks from click_hour where affiliate_id = a.id and hour >= ${since}) k on true
      left join lateral (select created_at from conversion where affiliate_id = a.id order by created_at, id limit 1) c on true
      where a.id = any(${ids}::uuid[])`,
  );
};

/** The busiest windows of an affiliate whose clicks were above a limit. */
export interface ClickAlert {
  affiliateId: string;
  programId: string;
  merchantId: string;
  clicksPerMinute: number;
  clicksPerHour: number;
}

/** Most shards have none most of the time. */
export const hasClickAlerts = async (ctx: Context, shard: number): Promise<boolean> =>
  (await firstRow(
    ctx.em,
    sql`select from click_alert where screening_shard(affiliate_id) = ${shard} and handled_at is null limit 1`,
  )) !== null;

/**
 * Marks alerts of one affiliate of a shard as handled and returns their peak; null when there are none. The caller must hold the
 * shard's lock.
 */
export const takeClickAlert = (ctx: Context, shard: number, limit: number): Promise<ClickAlert | null> => {
  const unhandled = sql`from click_alert where screening_shard(affiliate_id) = ${shard} and handled_at is null`;
  return firstRow(
    ctx.em,
    sql<ClickAlert>`with taken as (
        update click_alert set handled_at = ${ctx.clock.now().toISOString()}::timestamptz
        where (affiliate_id, minute) in (select affiliate_id, minute ${unhandled}
          and affiliate_id = (select affiliate_id ${unhandled} order by affiliate_id limit 1)
          order by minute limit ${limit} for update skip locked)
        returning affiliate_id, clicks_per_minute, clicks_per_hour)
      select t.affiliate_id as "affiliateId", a.program_id as "programId", a.merchant_id as "merchantId",
        max(t.clicks_per_minute)::int as "clicksPerMinute", max(t.clicks_per_hour)::int as "clicksPerHour"
      from taken t join affiliate a on a.id = t.affiliate_id group by 1, 2, 3`,
  );
};

/** Bounds the links that one finding makes. */
const MAX_RECENT = 10_000;

/** Conversions of the last 24 hours that are not paid, nor about to be, the newest first. */
export const listRecentUnpaid = async (ctx: Context, affiliateId: string): Promise<string[]> =>
  (
    await rows(
      ctx.em,
      sql<{ id: string }>`select c.id from conversion c
        where c.affiliate_id = ${affiliateId}::uuid and c.created_at > ${after(ctx.clock.now(), -DAY_MS).toISOString()}::timestamptz
          and c.status in ('pending','approved','partially_refunded')
          and not exists (select from payout p where p.id = c.included_in and p.status in ('processing','completed'))
        order by c.created_at desc, c.id desc limit ${MAX_RECENT}`,
    )
  ).map(({ id }) => id);

/** Whether anything of a shard waits to be screened. */
export const hasUnscreened = async (ctx: Context, shard: number): Promise<boolean> =>
  (await firstRow(
    ctx.em,
    sql`select from conversion where screening_shard(affiliate_id) = ${shard} and screened_at is null
      union all select from click_alert where screening_shard(affiliate_id) = ${shard} and handled_at is null limit 1`,
  )) !== null;

/** The conversions of a shard that wait to be screened. */
export const findBacklog = async (ctx: Context, shard: number): Promise<ScreeningBacklog> => {
  const row = await firstRow(
    ctx.em,
    sql<ScreeningBacklog>`select count(*)::int as waiting, ${isoOf(sql`min(created_at)`)} as "waitingSince" from (
      select created_at from conversion where screening_shard(affiliate_id) = ${shard} and screened_at is null
      order by id limit ${MAX_COUNTED_BACKLOG}) as found`,
  );
  invariant(row, 'an aggregate returns a row');
  return row;
};
