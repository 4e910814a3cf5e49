import type { PayoutMethod } from '../../../contracts/affiliates.ts';
import type { PayoutStatus } from '../../../contracts/payouts.ts';
import { railsThatBeginWith } from '../../../contracts/rails.ts';
import type { Context } from '../../../platform/context.ts';
import { firstRow, rows, sql } from '../../../platform/database/sql.ts';
import { anyOf } from '../../../platform/database/table.ts';
import { invariant } from '../../../platform/errors.ts';
import { shownActor } from '../../auth/index.ts';
import { db } from '../../tables.ts';
import { readDetails } from '../create/read-details.steps.ts';
import type { Payout } from '../payout.entity.ts';
import { type PayoutInstructions, toPayoutInstructions } from './payout-instructions.wire.ts';

const ERASED = { paypalEmail: null, bankIban: null, bankBic: null, bankAccountHolder: null };

/** The caller has asked the machine whether they may be read. */
export const readInstructions = async (ctx: Context, payout: Payout): Promise<PayoutInstructions> => {
  const details = readDetails(ctx, payout) ?? ERASED;
  const names = await firstRow(
    ctx.em,
    db
      .selectFrom('affiliate as a')
      .innerJoin('program as p', 'p.id', 'a.programId')
      .select(['p.name as programName', 'a.code as affiliateCode'])
      .where('a.id', '=', payout.affiliateId),
  );
  invariant(names, 'a payout has an affiliate');
  return toPayoutInstructions(payout, details, names);
};

export interface ExportFilter {
  merchantId: string;
  method: PayoutMethod;
  programId?: string | undefined;
  statuses: readonly PayoutStatus[];
  /** Leaves out what is created during the export. */
  before: string;
}

interface Position {
  id: string;
  createdAt: string;
}

/** Payouts on manual rails, oldest first, after a position. */
export const listManualPayouts = (
  ctx: Context,
  { merchantId, method, programId, statuses, before }: ExportFilter,
  { after, limit }: { after: Position | undefined; limit: number },
): Promise<Position[]> => {
  let query = db
    .selectFrom('payout')
    .select(['id', 'createdAt'])
    .where('merchantId', '=', merchantId)
    .where('status', '=', anyOf(statuses))
    .where('method', '=', method)
    .where('rail', '=', anyOf(railsThatBeginWith('person')))
    .where('createdAt', '<=', before);
  if (programId) query = query.where('programId', '=', programId);
  if (after) query = query.where(sql<boolean>`(created_at, id) > (${after.createdAt}, ${after.id})`);
  return rows(ctx.em, query.orderBy('createdAt').orderBy('id').limit(limit));
};

export interface LastExport {
  exportedAt: Date;
  /** The name of a key, a person or a part of the system. */
  exportedBy: string;
}

/** When and by whom a payout was last exported; null if it never was. */
export const findLastExport = async (ctx: Context, payoutId: string): Promise<LastExport | null> => {
  const entry = await firstRow(
    ctx.em,
    db
      .selectFrom('payout_timeline')
      .select('at')
      .select(shownActor(sql.ref('actor')).as('by'))
      .where('payoutId', '=', payoutId)
      .where('type', '=', 'exported')
      .orderBy('at', 'desc')
      .limit(1),
  );
  return entry && { exportedAt: new Date(entry.at), exportedBy: entry.by ?? 'system' };
};
