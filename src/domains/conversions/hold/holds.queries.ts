import type { HoldKind } from '../../../contracts/conversions.ts';
import { allOf, isoOf, type RawBuilder, sql } from '../../../platform/database/sql.ts';
import type { Window } from '../../../platform/http/lists.ts';
import type { ConversionView } from '../conversions.wire.ts';

/**
 * Whether a conversion `c` may neither be approved nor paid: it is not screened, or a dispute or a flag holds it. `offset 0` makes
 * it two probes of indexes for each row: the planner would rather read the flags of everybody.
 */
export const HELD_CONVERSION = sql<boolean>`(c.screened_at is null or c.disputed_at is not null or exists (
  select from flag_conversion k join flag f on f.id = k.flag_id
  where k.conversion_id = c.id and f.hold_ended_at is null offset 0))`;

const IS_UNPAID = sql`c.status in ('pending','approved','partially_refunded') and c.included_in is null`;

const IS_BLOCKED = sql`exists (select from affiliate b where b.id = c.affiliate_id and b.status = 'blocked' offset 0)`;

/** Whether a conversion `c` has a `hold`. */
export const HAS_HOLD = sql<boolean>`(${IS_UNPAID} and (${HELD_CONVERSION} or ${IS_BLOCKED}))`;

const holdOf = (kind: HoldKind, since: RawBuilder<unknown>, reason: RawBuilder<unknown>, flagId = sql`null::uuid`) =>
  sql`jsonb_build_object('kind', ${sql.lit(kind)}, 'flagId', ${flagId}, 'reason', ${reason}, 'since', ${isoOf(since)})`;

/** The `hold` of a conversion `c`: subqueries, so that it is asked for the rows of the page only. */
export const HOLD = sql<ConversionView['hold']>`case
  when not (${IS_UNPAID}) then null
  when c.disputed_at is not null then ${holdOf('dispute', sql`c.disputed_at`, sql`'payment_disputed'`)}
  else coalesce(
    (select ${holdOf('flag', sql`greatest(f.created_at, c.created_at)`, sql`f.type`, sql`f.id`)}
      from flag_conversion k join flag f on f.id = k.flag_id
      where k.conversion_id = c.id and f.hold_ended_at is null order by f.id limit 1),
    (select ${holdOf('block', sql`greatest(b.blocked_at, c.created_at)`, sql`'affiliate_blocked'`)}
      from affiliate b where b.id = c.affiliate_id and b.status = 'blocked'),
    case when c.screened_at is null then ${holdOf('screening', sql`c.created_at`, sql`'not_screened'`)} end) end`;

interface HeldCommissions {
  /** Minor units. */
  amount: number;
  /** The part that a dispute holds; a flag holds the rest. */
  disputed: number;
  /** Number of those that a flag and no dispute holds, and that are worth something. */
  flagged: number;
  /** As `amount` and `disputed`, of commissions that are not approved yet. */
  unapproved: number;
  unapprovedDisputed: number;
}

/** An affiliate's commissions that are neither approved nor paid while they are held, in no payout yet. Reads each once. */
export const heldCommissionsOf = (affiliateId: RawBuilder<unknown>): RawBuilder<HeldCommissions> =>
  sql<HeldCommissions>`(select coalesce(sum(h.amount) filter (where h.is_approved), 0) as amount,
      coalesce(sum(h.amount) filter (where h.is_approved and not h.is_flagged), 0) as disputed,
      count(*) filter (where h.is_approved and h.is_flagged and h.amount > 0) as flagged,
      coalesce(sum(h.amount) filter (where not h.is_approved), 0) as unapproved,
      coalesce(sum(h.amount) filter (where not h.is_approved and not h.is_flagged), 0) as unapproved_disputed
    from (
      select commission + adjusted as amount, false as is_flagged, approved_at is not null as is_approved from conversion
        where affiliate_id = ${affiliateId} and disputed_at is not null and included_in is null
      union all
      select d.commission + d.adjusted, true, d.approved_at is not null
        from (select distinct k.conversion_id as id from flag f join flag_conversion k on k.flag_id = f.id
          where f.affiliate_id = ${affiliateId} and f.hold_ended_at is null) k
        join conversion d on d.id = k.id and d.disputed_at is null and d.included_in is null) h)`;

/** Whether a commission in a payout of an affiliate is held. */
export const isHeldInPayout = (payoutId: string, affiliateId: string): RawBuilder<boolean> =>
  sql<boolean>`(exists (select from conversion where included_in = ${payoutId} and disputed_at is not null)
    or exists (select from flag f join flag_conversion k on k.flag_id = f.id
      join conversion d on d.id = k.conversion_id and d.included_in = ${payoutId}
      where f.affiliate_id = ${affiliateId} and f.hold_ended_at is null))`;

/** A condition on a conversion `c`, beside that it is unpaid. */
type Wanted = RawBuilder<unknown> | undefined;

/** Held whatever the flags say. */
const IS_HELD_ITSELF = sql`(c.screened_at is null or c.disputed_at is not null)`;

/**
 * Conversions of a merchant with a `hold`, each once, with their currency. Reads what is held and what blocked affiliates have:
 * `offset 0` makes it a look-up for each flag and affiliate, where the planner would rather read the conversions of everybody.
 */
export const heldConversions = (
  merchantId: RawBuilder<unknown>,
  { programId, from }: { programId?: string | undefined; from: Date | null },
): RawBuilder<{ id: string; currency: string }> => {
  const isWanted = allOf([
    IS_UNPAID,
    programId === undefined ? undefined : sql`c.program_id = ${programId}`,
    from === null ? undefined : sql`c.created_at >= ${from.toISOString()}`,
  ]);
  return sql`(
    select c.id, c.currency from conversion c where c.merchant_id = ${merchantId} and ${IS_HELD_ITSELF} and ${isWanted}
    union
    select c.id, c.currency from flag f cross join lateral (
        select d.* from flag_conversion k join conversion d on d.id = k.conversion_id where k.flag_id = f.id offset 0) as c
      where f.merchant_id = ${merchantId} and f.hold_ended_at is null and ${isWanted}
    union
    select c.id, c.currency from affiliate b cross join lateral (
        select c.* from conversion c where c.affiliate_id = b.id and ${isWanted} offset 0) as c
      where b.merchant_id = ${merchantId} and b.status = 'blocked')`;
};

/**
 * Ids of the newest conversions of a merchant with a `hold`, by their ids. Of each flag and each blocked affiliate it reads no more
 * than the page needs, however many conversions are held.
 */
export const newestHeldConversions = (
  merchantId: RawBuilder<unknown>,
  wanted: Wanted,
  { afterId, upTo }: Window,
): RawBuilder<readonly string[]> => {
  const isWanted = allOf([IS_UNPAID, wanted]);
  const isAfter = (id: RawBuilder<unknown>) => (afterId === undefined ? sql`true` : sql`${id} < ${afterId}::uuid`);
  return sql<readonly string[]>`array(select id from (
    (select c.id from conversion c where c.merchant_id = ${merchantId} and ${IS_HELD_ITSELF} and ${isWanted}
        and ${isAfter(sql`c.id`)} order by c.id desc limit ${upTo})
    union
    select h.id from flag f cross join lateral (
        select k.conversion_id as id from flag_conversion k
          cross join lateral (select * from conversion where id = k.conversion_id limit 1) as c
        where k.flag_id = f.id and ${isAfter(sql`k.conversion_id`)} and ${isWanted} order by k.conversion_id desc limit ${upTo}) as h
      where f.merchant_id = ${merchantId} and f.hold_ended_at is null
    union
    select h.id from affiliate b cross join lateral (
        select c.id from conversion c where c.affiliate_id = b.id and ${isAfter(sql`c.id`)} and ${isWanted}
        order by c.id desc limit ${upTo}) as h
      where b.merchant_id = ${merchantId} and b.status = 'blocked') as held
    order by id desc limit ${upTo})`;
};

/**
 * Affiliates with nothing payable of whom a flag or a dispute holds an unpaid commission, by their ids, the newest first. Reads the
 * flags and the disputed commissions of the merchant until there are enough.
 */
export const heldAffiliates = (
  { merchantId, programId }: { merchantId: RawBuilder<string>; programId: RawBuilder<string> | undefined },
  { afterId, upTo }: Window,
): RawBuilder<{ id: string }> => {
  const isListed = (table: 'c' | 'f') =>
    allOf([
      sql`${sql.ref(`${table}.merchantId`)} = ${merchantId}`,
      programId && sql`${sql.ref(`${table}.programId`)} = ${programId}`,
      afterId && sql`${sql.ref(`${table}.affiliateId`)} < ${afterId}::uuid`,
    ]);
  const isWorth = sql`${IS_UNPAID} and c.commission + c.adjusted > 0`;
  const without = (held: RawBuilder<unknown>) => sql`cross join lateral (
    select from ledger_balance b where b.affiliate_id = ${held} and b.payable <= 0 and (b.pending > 0 or b.open_adjustments > 0)`;
  return sql`(
    (select distinct f.affiliate_id as id from flag f ${without(sql`f.affiliate_id`)}
        and exists (select from flag_conversion k join conversion c on c.id = k.conversion_id
          where k.flag_id = f.id and ${isWorth} offset 0) limit 1) as b
      where ${isListed('f')} and f.hold_ended_at is null order by f.affiliate_id desc limit ${upTo})
    union
    (select distinct c.affiliate_id from conversion c ${without(sql`c.affiliate_id`)} limit 1) as b
      where ${isListed('c')} and c.disputed_at is not null and ${isWorth} order by c.affiliate_id desc limit ${upTo}))`;
};
