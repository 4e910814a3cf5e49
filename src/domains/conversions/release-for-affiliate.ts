import type { EntityData } from '@mikro-orm/core';
import { type Context, inTransaction } from '../../platform/context.ts';
import { rows, sql } from '../../platform/database/sql.ts';
import { lockMembership } from '../affiliates/index.ts';
import { lockBalance } from '../ledger/index.ts';
import { approveConversion } from './approve-conversion.ts';
import { Conversion } from './conversion.entity.ts';
import { holdBack } from './hold-back.ts';
import { HELD_CONVERSION } from './holds.queries.ts';

/**
 * Approves those of the commissions that are due; returns their number. Nothing is approved while the affiliate is blocked. Flags
 * are raised and resolved under the lock of the balance, so that none comes between. What is due and held is held back.
 */
export const releaseForAffiliate = (ctx: Context, affiliateId: string, ids: readonly string[]): Promise<number> =>
  inTransaction(ctx, async (ctx) => {
    const isBlocked = (await lockMembership(ctx, affiliateId)).status === 'blocked';
    await lockBalance(ctx, affiliateId);
    const unheld = isBlocked ? [] : await lockUnheld(ctx, ids);
    const due = unheld.filter((conversion) => conversion.isDue(ctx.clock.now()));
    if (unheld.length < ids.length) await holdBack(ctx, ids, { isBlocked });
    for (const conversion of due) await approveConversion(ctx, conversion);
    return due.length;
  });

const lockUnheld = async (ctx: Context, ids: readonly string[]): Promise<Conversion[]> =>
  (
    await rows(
      ctx.em,
      sql<EntityData<Conversion>>`select c.* from conversion c
        where c.id = any(${ids}::uuid[]) and not ${HELD_CONVERSION} order by c.id for update of c`,
    )
  ).map((row) => ctx.em.map(Conversion, row));

/** As `releaseForAffiliate`; null when the transaction failed. */
export const releaseOrLog = async (ctx: Context, affiliateId: string, ids: readonly string[]): Promise<number | null> => {
  try {
    return await releaseForAffiliate(ctx, affiliateId, ids);
  } catch (err) {
    ctx.log.error({ err, affiliateId, conversions: ids.length }, 'commissions could not be released');
    return null;
  }
};
