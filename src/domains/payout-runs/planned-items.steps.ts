import type { LeftOutReason } from '../../contracts/payout-runs.ts';
import { type Rail, railsThatBeginWith } from '../../contracts/rails.ts';
import { MAX_UNANSWERED } from '../../contracts/workflows/payout-runs.ts';
import type { Context } from '../../platform/context.ts';
import { execute, firstRow, rows, sql } from '../../platform/database/sql.ts';
import { anyOf, json } from '../../platform/database/table.ts';
import { db } from '../tables.ts';
import { isWaitingForAccount } from './failing-accounts.queries.ts';
import { isUnanswered } from './run-progress.queries.ts';

// Templates: rows are locked in an order, and written from a document.

/** Items of one transaction. */
export const PAGE = 100;

export const CALLED = railsThatBeginWith('call');
/** Nothing is sent on these rails before a person acts. */
export const BY_HAND = railsThatBeginWith('person', 'file');

export interface PlannedItem {
  affiliateId: string;
  programId: string;
  amount: number;
  rail: Rail;
  destinationHash: string | null;
}

export interface ItemResult {
  affiliateId: string;
  result: 'payout' | 'left_out';
  reason: LeftOutReason | null;
  payoutId: string | null;
  paidAmount: number | null;
}

/** Planned items of a page: those that were not tried yet, or those whose payout could not be created. */
export interface Turn {
  rails: readonly Rail[];
  isAgain: boolean;
}

/** How many items of these rails may be paid now. */
export const pageSize = async (ctx: Context, runId: string, rails: readonly Rail[]): Promise<number> => {
  if (rails !== CALLED) return PAGE;
  const waiting = await firstRow(
    ctx.em,
    sql<{ count: number }>`select count(*) as count from payout p where p.payout_run_id = ${runId} and ${isUnanswered}`,
  );
  return Math.max(0, Math.min(PAGE, MAX_UNANSWERED - (waiting?.count ?? 0)));
};

/**
 * Locked, those that were tried least often first. Items of another page, or of one that is repeated, are passed over. Planned ones have no
 * reason: so the index gives them in order.
 */
export const nextItems = (
  ctx: Context,
  { runId, rails, isAgain, limit }: Turn & { runId: string; limit: number },
): Promise<PlannedItem[]> =>
  rows(
    ctx.em,
    sql<PlannedItem>`select affiliate_id as "affiliateId", program_id as "programId", amount, rail, destination_hash as "destinationHash"
      from payout_run_item where run_id = ${runId} and result = 'planned' and reason is null
        and ${isAgain ? sql`tries > 0` : sql`tries = 0`} and rail = any(${rails})
        and not ${isWaitingForAccount(sql`payout_run_item.rail`, sql`${runId}::uuid`, ctx.clock.now())} order by tries, affiliate_id limit ${limit} for update skip locked`,
  );

export const writeResults = async (ctx: Context, runId: string, results: readonly ItemResult[]): Promise<void> => {
  if (results.length === 0) return;
  await execute(
    ctx.em,
    sql`update payout_run_item i set result = r.result, reason = r.reason, payout_id = r."payoutId", paid_amount = r."paidAmount"
      from jsonb_to_recordset(${json(results)}) as r
        ("affiliateId" uuid, result text, reason text, "payoutId" uuid, "paidAmount" bigint)
      where i.run_id = ${runId} and i.affiliate_id = r."affiliateId"`,
  );
};

/** Items that were tried in vain come after all others. */
export const countTries = async (ctx: Context, runId: string, affiliateIds: readonly string[]): Promise<void> => {
  if (affiliateIds.length === 0) return;
  const failed = db.updateTable('payout_run_item').set(({ eb }) => ({ tries: eb('tries', '+', 1) }));
  await execute(ctx.em, failed.where('runId', '=', runId).where('affiliateId', '=', anyOf(affiliateIds)));
};

/** Leaves out what is still planned of a cancelled run. */
export const leaveOutPlanned = async (ctx: Context, runId: string): Promise<void> => {
  await execute(
    ctx.em,
    db
      .updateTable('payout_run_item')
      .set({ result: 'left_out', reason: 'RUN_CANCELLED' })
      .where('runId', '=', runId)
      .where('result', '=', 'planned'),
  );
};
