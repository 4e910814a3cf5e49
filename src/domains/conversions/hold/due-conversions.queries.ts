import type { Context } from '../../../platform/context.ts';
import { firstRow, type RawBuilder, rows, sql } from '../../../platform/database/sql.ts';
import { columnsOf } from '../../../platform/database/table.ts';
import { HELD_CONVERSION } from './holds.queries.ts';

export interface DueConversion {
  id: string;
  affiliateId: string;
}

const UNAPPROVED = sql<boolean>`(c.approved_at is null and c.status in ('pending','partially_refunded'))`;

/** Whether the hold period of a conversion `c` is over and its commission is not approved yet. */
export const isDue = (ctx: Context): RawBuilder<boolean> =>
  sql<boolean>`(${UNAPPROVED} and c.release_at <= ${ctx.clock.now().toISOString()})`;

/** Whether it is due, and only a flag or a block can hold it. */
export const isDueUnlessHeld = (ctx: Context): RawBuilder<boolean> =>
  sql<boolean>`(${isDue(ctx)} and c.screened_at is not null and c.disputed_at is null)`;

/** When the next hold period of an affiliate's commissions ends that nothing but time holds; null when there is none. */
export const nextReleaseOf = (affiliateId: RawBuilder<unknown>, now: RawBuilder<unknown>): RawBuilder<string | null> =>
  sql<string | null>`(select c.release_at from conversion c where c.affiliate_id = ${affiliateId} and ${UNAPPROVED}
    and c.screened_at is not null and c.disputed_at is null and c.release_at > ${now} and not ${HELD_CONVERSION}
    order by c.release_at limit 1)`;

const COLUMNS = columnsOf<DueConversion>(['id', 'affiliateId'], 'c');

/**
 * Conversions to approve or to hold back, the oldest first, then those that were held back and are no longer held. The index of
 * the first ones contains nothing that was held back, so what is held is read once and not by every run. A
 * template, as those below: ordered parts with a limit each, in the words of the partial indexes.
 */
export const findDueConversions = (ctx: Context, limit: number, except: readonly string[] = []): Promise<DueConversion[]> => {
  const isIncluded = sql`c.affiliate_id <> all(${except})`;
  return rows(
    ctx.em,
    sql<DueConversion>`(select ${COLUMNS} from conversion c where ${isDueUnlessHeld(ctx)} and not c.held_back and ${isIncluded}
        order by c.release_at, c.id limit ${limit})
      union all
      (select ${COLUMNS} from ${HELD_BACK_AND_FREE} and ${isDue(ctx)} and ${isIncluded} limit ${limit})
      limit ${limit}`,
  );
};

/**
 * Conversions `c` that were held back and are no longer held, of affiliates `h` who are looked at again. Whether they are due is
 * not asked: the clock of the process that held them back may have been ahead.
 */
export const HELD_BACK_AND_FREE = sql`held_back_affiliate h join affiliate a on a.id = h.affiliate_id and a.status = 'approved'
    join conversion c on c.affiliate_id = h.affiliate_id and c.held_back
    where h.is_due and ${UNAPPROVED} and not ${HELD_CONVERSION}`;

/** Whether a run of `commissionRelease` has anything to do. */
export const hasDueConversions = async (ctx: Context): Promise<boolean> =>
  (await firstRow(
    ctx.em,
    sql`select from held_back_affiliate where is_due
      union all (select from conversion c where ${isDueUnlessHeld(ctx)} and not c.held_back limit 1) limit 1`,
  )) !== null;

/** Conversions of one affiliate, blocked or not, that are due or were held back, and are not held. */
export const findDueConversionsOf = async (ctx: Context, affiliateId: string, limit: number): Promise<string[]> => {
  const oldest = (condition: RawBuilder<boolean>) => sql`(select c.id, c.release_at from conversion c
    where c.affiliate_id = ${affiliateId} and ${condition} and not ${HELD_CONVERSION}
    order by c.release_at, c.id limit ${limit})`;
  const heldBack = sql<boolean>`${UNAPPROVED} and c.held_back`;
  const found = await rows(
    ctx.em,
    sql<{ id: string }>`select id from (${oldest(isDue(ctx))} union ${oldest(heldBack)}) as due
      order by release_at, id limit ${limit}`,
  );
  return found.map(({ id }) => id);
};
