import { ALL_PROGRAMS } from '../contracts/programs.ts';
import { CONVERSION_SUMS } from '../domains/merchants/index.ts';
import type { Context } from '../platform/context.ts';
import { rows, sql } from '../platform/database/sql.ts';
import { type FindingRow, MAX_FINDINGS } from './audit.ts';

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
        from conversion_change c ${CONVERSION_SUMS.ofRow}),
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
