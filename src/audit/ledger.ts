import { ALL_PROGRAMS } from '../contracts/programs.ts';
import { verifyLedger } from '../domains/ledger/index.ts';
import { sumsOfRow } from '../domains/merchants/index.ts';
import type { Context } from '../platform/context.ts';
import { rows, sql } from '../platform/database/sql.ts';
import { type Audit, type Check, type FindingRow, findingsOf, MAX_FINDINGS } from './audit.ts';

const FLOOR = 'no balance below its floor';

/** I3 and I4, computed from the ledger entries rather than from stored balances. */
export const checkLedger: Check = async (audit) => {
  const verified = await verifyLedger(audit.ctx);
  const asRow = ({ rule, subject, detail }: (typeof verified)[number]): FindingRow => ({ subject, detail: `${rule}: ${detail}` });
  return [
    ...findingsOf('I3', verified.filter(({ rule }) => rule !== FLOOR).map(asRow)),
    ...findingsOf('I3', await wrongPayoutEntries(audit)),
    ...findingsOf('I3', await wrongDeductions(audit)),
    ...findingsOf('I3', await findWrongConversionSums(audit.ctx)),
    ...findingsOf('I4', verified.filter(({ rule }) => rule === FLOOR).map(asRow)),
    ...findingsOf('I4', await everBelowZero(audit)),
  ];
};

/** The entries of each payout must match its transitions, and its items its amount. */
const wrongPayoutEntries = ({ ctx }: Audit): Promise<FindingRow[]> =>
  rows(
    ctx.em,
    sql<FindingRow>`with posted as (
        select reference_id,
          array_agg(kind || ' ' || amount order by kind) filter (where amount > 0) as entries
        from ledger_entry where kind like 'payout\\_%' group by reference_id),
      moved as (
        select payout_id, case to_status
            when 'pending' then 'payout_created'
            when 'completed' then case from_status when 'failed' then 'payout_resolved_paid' else 'payout_completed' end
            when 'failed' then case when from_status <> 'completed' then 'payout_failed'
              when type = 'contradiction_resolved' then 'payout_resolved_not_paid' else 'payout_returned' end end as kind
        from payout_timeline where to_status is not null),
      expected as (
        select p.id, p.amount, (select coalesce(sum(i.amount), 0) from payout_item i where i.payout_id = p.id) as items,
          (select array_agg(m.kind || ' ' || p.amount order by m.kind) from moved m
            where m.payout_id = p.id and m.kind is not null) as entries
        from payout p)
      select 'payout ' || coalesce(e.id, b.reference_id) as subject,
        format('posted as %s instead of %s, sum of items %s', b.entries, e.entries, e.items) as detail
      from expected e full join posted b on b.reference_id = e.id
      where b.entries is distinct from e.entries or e.items is distinct from e.amount limit ${MAX_FINDINGS}`,
  );

/** A payout that was paid although another one has its items is deducted from later ones, for as long as it is paid. */
const wrongDeductions = ({ ctx }: Audit): Promise<FindingRow[]> =>
  rows(
    ctx.em,
    sql<FindingRow>`select 'payout ' || id as subject, format('deducted %s instead of %s', -deducted, -expected) as detail
      from (select p.id,
          (select coalesce(sum(d.amount), 0) from commission_adjustment d where d.payout_id = p.id) as deducted,
          case when p.status <> 'failed' and not exists (select 1 from payout_item i where i.payout_id = p.id and i.active)
            then -p.amount else 0 end as expected
        from payout p) as compared
      where deducted <> expected limit ${MAX_FINDINGS}`,
  );

/** Entries of one owner are written under one lock, so their ids are in the order of the transfers. */
const everBelowZero = ({ ctx }: Audit): Promise<FindingRow[]> =>
  rows(
    ctx.em,
    sql<FindingRow>`select 'affiliate ' || owner_id as subject, format('%s was once %s', account, min(running)) as detail
      from (select owner_id, account, sum(amount) over (partition by owner_id, account, currency order by id) as running
        from ledger_entry where account in ('pending','in_payout','paid')) as past
      where running < 0 group by owner_id, account limit ${MAX_FINDINGS}`,
  );

/**
 * Days of programs against their conversions, and all other sums against those days. The quarters of an hour are compared while
 * they are kept.
 */
export const findWrongConversionSums = ({ em }: Pick<Context, 'em'>): Promise<FindingRow[]> =>
  rows(
    em,
    sql<FindingRow>`with changes as (
        select merchant_id, place.id as program_id, piece.span, piece.starts_at, currency, status, conversions, revenue, commission,
          unapproved
        from conversion_change c ${sumsOfRow}),
      sums as (
        select merchant_id, program_id, span, starts_at, currency, status, conversions, revenue, commission, unapproved from conversion_sum
        union all select * from changes),
      days as (select * from sums where span = 'day' and program_id <> ${ALL_PROGRAMS}::uuid),
      compared as (
        select 'conversions' as what, merchant_id, program_id, starts_at, currency, status, conversions, revenue, commission, unapproved
        from days
        union all
        select 'conversions', merchant_id, program_id, date_trunc('day', created_at, 'UTC'), currency, status, -1, refunded - amount,
          -commission, case when approved_at is null then -commission else 0 end from conversion
        union all
        select 'all time', merchant_id, program_id, '-infinity', currency, status, conversions, revenue, commission, unapproved from days
        union all
        select 'all time', merchant_id, program_id, starts_at, currency, status, -conversions, -revenue, -commission, -unapproved
        from sums where span = 'all' and program_id <> ${ALL_PROGRAMS}::uuid
        union all
        select 'all programs, ' || span, merchant_id, ${ALL_PROGRAMS}::uuid, starts_at, currency, status, sign * conversions,
          sign * revenue, sign * commission, sign * unapproved
        from sums cross join lateral (select case when program_id = ${ALL_PROGRAMS}::uuid then -1 else 1 end as sign) as side
        where span <> 'quarter' or starts_at >= date_trunc('day', now(), 'UTC') - interval '90 days'
        union all
        select 'quarters', merchant_id, program_id, date_trunc('day', starts_at, 'UTC'), currency, status, sign * conversions,
          sign * revenue, sign * commission, sign * unapproved
        from sums cross join lateral (select case when span = 'day' then -1 else 1 end as sign) as side
        where span in ('day', 'quarter') and starts_at >= date_trunc('day', now(), 'UTC') - interval '90 days')
      select format('merchant %s', merchant_id) as subject,
        format('sums of conversions differ from %s: program %s, %s, %s %s: %s conversions, revenue %s, commission %s, unapproved %s', what,
          program_id, starts_at, currency, status, sum(conversions), sum(revenue), sum(commission), sum(unapproved)) as detail
      from compared group by what, merchant_id, program_id, starts_at, currency, status
      having (sum(conversions), sum(revenue), sum(commission), sum(unapproved)) <> (0, 0, 0, 0) limit ${MAX_FINDINGS}`,
  );
