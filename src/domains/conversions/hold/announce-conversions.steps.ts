import type { z } from 'zod';
import { type Context, emit } from '../../../platform/context.ts';
import { rows, sql } from '../../../platform/database/sql.ts';
import { anyOf } from '../../../platform/database/table.ts';
import { db } from '../../tables.ts';
import type { Conversion } from '../conversion.entity.ts';
import { COLUMNS } from '../conversions.queries.ts';
import { type conversionHeldSchema, toConversionEvent } from '../conversions.wire.ts';

declare module '../../../platform/context.ts' {
  interface Context {
    /** Runs in the transaction that holds a commission of the affiliate, whose balance is locked: a hold has no event of its own, but payouts must know of it. */
    onHold: (ctx: Context, affiliateId: string) => Promise<void>;
  }
}

const conversionsWith = (ids: readonly string[]) =>
  db
    .selectFrom('conversion as c')
    .innerJoin('sale as s', 's.id', 'c.saleId')
    .select(COLUMNS)
    .where('c.id', '=', anyOf(ids))
    .orderBy('c.id');

/** Announces conversions of one affiliate, whom the caller has locked. */
export const announceApprovals = async (ctx: Context, conversions: readonly Conversion[]): Promise<void> => {
  const [first] = conversions;
  if (!first) return;
  const { merchantId } = first;
  const found = await rows(ctx.em, conversionsWith(conversions.map(({ id }) => id)));
  await emit(
    ctx,
    found.map(({ externalSaleId: externalId, ...row }) => ({
      type: 'conversion.approved',
      merchantId,
      programId: row.programId,
      data: toConversionEvent(row, { ...row, externalId }),
    })),
  );
};

export type Hold = z.infer<typeof conversionHeldSchema>['hold'];

export const disputeHold = (since: Date): Hold => ({
  kind: 'dispute',
  flagId: null,
  reason: 'payment_disputed',
  since: since.toISOString(),
});

/** Tells what begins to hold conversions of a merchant, by their id: at the earliest since they exist. Those without a commission to hold are left out. */
export const announceHolds = async (ctx: Context, merchantId: string, holds: ReadonlyMap<string, Hold>): Promise<void> => {
  if (holds.size === 0) return;
  const unpaid = conversionsWith([...holds.keys()])
    .where('c.merchantId', '=', merchantId)
    .where('c.status', 'in', ['pending', 'approved', 'partially_refunded'])
    // A payout without an attempt fails because of the hold.
    .where(
      sql<boolean>`(c.included_in is null or exists (select from payout o where o.id = c.included_in and o.status = 'pending'))`,
    );
  const found = await rows(ctx.em, unpaid);
  await emit(
    ctx,
    found.flatMap(({ externalSaleId: externalId, ...row }) => {
      const hold = holds.get(row.id);
      const data = toConversionEvent(row, { ...row, externalId });
      const since = hold && hold.since > data.createdAt ? hold.since : data.createdAt;
      return hold
        ? [
            {
              type: 'conversion.held' as const,
              merchantId,
              programId: row.programId,
              data: { ...data, hold: { ...hold, since } },
            },
          ]
        : [];
    }),
  );
};
