import type { Context } from '../../platform/context.ts';
import { execute, sql } from '../../platform/database/sql.ts';

/**
 * Holds conversions of affiliates whose clicks are under review: those that follow while the flag is open. They are no new
 * evidence, so the deadline stays. Only for conversions that are not screened yet, which no release and no payout can take.
 */
export const linkToClickFlags = async (ctx: Context, conversionIds: readonly string[]): Promise<void> => {
  await execute(
    ctx.em,
    sql`with open as materialized (
        select f.id, f.affiliate_id from flag f
        where f.status = 'open' and f.type = 'high_click_frequency'
          and f.affiliate_id in (select affiliate_id from conversion where id = any(${conversionIds}::uuid[]))
        order by f.id for no key update),
      links as (
        insert into flag_conversion (flag_id, conversion_id)
        select o.id, c.id from open o join conversion c on c.affiliate_id = o.affiliate_id and c.id = any(${conversionIds}::uuid[])
        on conflict do nothing returning flag_id)
      update flag f set conversion_count = f.conversion_count + n.count, updated_at = ${ctx.clock.now().toISOString()}::timestamptz
      from (select flag_id, count(*) as count from links group by flag_id) n where f.id = n.flag_id`,
  );
};
