import type { EntityData } from '@mikro-orm/core';
import { LEFT_OUT_REASONS, type LeftOutReason } from '../../../contracts/payout-runs.ts';
import type { Rail } from '../../../contracts/rails.ts';
import type { PayoutRunSnapshot } from '../../../contracts/workflows/payout-runs.ts';
import { SECOND_MS } from '../../../platform/clock.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { execute, firstRow, sql } from '../../../platform/database/sql.ts';
import { AppError } from '../../../platform/errors.ts';
import { faultPoint } from '../../../platform/fault-points.ts';
import { identifiersOf } from '../../../platform/logger.ts';
import { heldCommissionsOf } from '../../conversions/index.ts';
import { lockBalances } from '../../ledger/index.ts';
import { assessPayouts, createPayouts, type NewPayout, PlanChanged } from '../../payouts/index.ts';
import { PayoutRun } from '../payout-run.entity.ts';
import {
  BY_HAND,
  CALLED,
  countTries,
  type ItemResult,
  nextItems,
  PAGE,
  type PlannedItem,
  pageSize,
  type Turn,
  writeResults,
} from '../planned-items.steps.ts';
import { getRunSnapshot } from '../run-progress.queries.ts';

// Templates: rows are locked.

/** Pages at once, where all may be created and many are left: one uses the database while another one computes. */
const AT_ONCE = 2;
/** A page ends early after this time, or with so many commissions and adjustments: others wait for the balances that it locks. */
const PAGE_MS = 250;
const PAGE_PARTS = 2_000;
/** Time for one step of the workflow: well below the timeout of its activity. */
const STEP_MS = 4 * SECOND_MS;

interface Page {
  tried: number;
  /** Does not count those that stay planned because of an error of ours. */
  done: number;
  /** Whether there may be more. */
  isFull: boolean;
}

/**
 * Creates payouts of a run for a few seconds, page by page: all that are paid by hand, and as many on rails that are called as may wait for an
 * answer. Those that could not be created before wait until no other is left, and are tried again while it helps. Each page asks whether
 * the run still runs. The second call goes on where the first one ended.
 */
export const createRunPayouts = async (ctx: Context, { runId }: { runId: string }): Promise<PayoutRunSnapshot> => {
  const endsAt = performance.now() + STEP_MS;
  const tried = await createPages(ctx, { runId, isAgain: false, endsAt });
  const snapshot = await getRunSnapshot(ctx, runId);
  if (tried > 0 || snapshot.stuck === 0) return snapshot;
  await createPages(ctx, { runId, isAgain: true, endsAt });
  return getRunSnapshot(ctx, runId);
};

/** Returns how many items it tried. */
const createPages = async (
  ctx: Context,
  { runId, isAgain, endsAt }: { runId: string; isAgain: boolean; endsAt: number },
): Promise<number> => {
  let tried = 0;
  for (const rails of [BY_HAND, CALLED]) {
    let [atOnce, goesOn] = [1, true];
    while (goesOn && performance.now() < endsAt) {
      // All end before the next ones begin: whoever pauses the run waits for these only.
      const pages = await Promise.all(Array.from({ length: atOnce }, () => createPage(ctx, { runId, rails, isAgain })));
      faultPoint('run:after-page');
      for (const page of pages) tried += page.tried;
      goesOn = pages.some((page) => (isAgain ? page.done : page.tried) > 0);
      atOnce = rails !== CALLED && !isAgain && pages.every(({ isFull }) => isFull) ? AT_ONCE : 1;
    }
  }
  return tried;
};

const createPage = (ctx: Context, { runId, rails, isAgain }: Turn & { runId: string }): Promise<Page> =>
  inTransaction(ctx, async (ctx) => {
    const run = await lockFor(ctx, runId, rails);
    if (run?.status !== 'running') return { tried: 0, done: 0, isFull: false };
    const items = await nextItems(ctx, { runId, rails, isAgain, limit: await pageSize(ctx, runId, rails) });
    await lockBalances(
      ctx,
      items.map(({ affiliateId }) => affiliateId),
    );
    // Starts after the wait for locks, so that each page does something.
    const endsAt = performance.now() + PAGE_MS;
    const { tried, results } = await payItems(ctx, run, items, endsAt);
    await writeResults(ctx, runId, results);
    const done = new Set(results.map(({ affiliateId }) => affiliateId));
    const inVain = items.slice(0, tried).filter(({ affiliateId }) => !done.has(affiliateId));
    await countTries(
      ctx,
      runId,
      inVain.map(({ affiliateId }) => affiliateId),
    );
    faultPoint('run:before-page-commit');
    return { tried, done: done.size, isFull: items.length === PAGE };
  });

/** Keeps the run from changing until the page is committed. Concurrent pages share the lock, unless they count what waits. */
const lockFor = async (ctx: Context, id: string, rails: readonly Rail[]): Promise<PayoutRun | null> => {
  const mode = rails === CALLED ? sql`for no key update` : sql`for share`;
  const row = await firstRow(ctx.em, sql<EntityData<PayoutRun>>`select * from payout_run where id = ${id} ${mode}`);
  return row && ctx.em.map(PayoutRun, row);
};

/** All at once, or each alone where one of them fails because of an error of ours: the first ones in time, and their results. */
const payItems = async (
  ctx: Context,
  run: PayoutRun,
  items: readonly PlannedItem[],
  endsAt: number,
): Promise<{ tried: number; results: ItemResult[] }> => {
  const together = await inSavepoint(ctx, (ctx) => payTogether(ctx, run, items, endsAt));
  if ('done' in together) return { tried: together.done.length, results: together.done };
  ctx.log.warn({ err: together.fault, runId: run.id }, 'payouts of a run are created one by one');
  const results: ItemResult[] = [];
  let tried = 0;
  for (const item of items) {
    if (tried > 0 && performance.now() > endsAt) break;
    tried++;
    const alone = await inSavepoint(ctx, (ctx) => payTogether(ctx, run, [item], endsAt));
    if ('done' in alone) results.push(...alone.done);
    else ctx.log.error({ err: alone.fault, runId: run.id, affiliateId: item.affiliateId }, 'a payout of a run cannot be created');
  }
  return { tried, results };
};

/** After a fault, none of the work is written. Throws what fails the transaction. */
const inSavepoint = async <T>(ctx: Context, work: (ctx: Context) => Promise<T>): Promise<{ done: T } | { fault: unknown }> => {
  const em = ctx.em.fork({ keepTransactionContext: true });
  await execute(em, sql`savepoint items`);
  try {
    const done = await work({ ...ctx, em });
    await execute(em, sql`release savepoint items`);
    return { done };
  } catch (fault) {
    if (isOfTransaction(fault)) throw fault;
    await execute(ctx.em, sql`rollback to savepoint items`);
    await execute(ctx.em, sql`release savepoint items`);
    return { fault };
  }
};

/** Pays at least the first item. */
const payTogether = async (
  ctx: Context,
  run: PayoutRun,
  items: readonly PlannedItem[],
  endsAt: number,
): Promise<ItemResult[]> => {
  const terms = items.map((item) => termsOf(run, item));
  const assess = await assessPayouts(ctx, terms);
  const leftOut: ItemResult[] = [];
  const assessed: NewPayout[] = [];
  const by = approvalOf(run);
  let parts = 0;
  for (const of of terms) {
    if (leftOut.length + assessed.length > 0 && (parts >= PAGE_PARTS || performance.now() > endsAt)) break;
    try {
      const payment = await assess(of);
      assessed.push({ payment, runId: run.id, approved: by && { by, shownMinor: of.planned.amount } });
      parts += payment.items.length;
    } catch (error) {
      const reason = await reasonOf(ctx, of, error);
      if (!reason) throw error;
      leftOut.push({ affiliateId: of.affiliateId, result: 'left_out', reason, payoutId: null, paidAmount: null });
    }
  }
  const payouts = await createPayouts(ctx, assessed);
  const paid = payouts.map(({ id, affiliateId, amount }): ItemResult => {
    return { affiliateId, result: 'payout', reason: null, payoutId: id, paidAmount: amount };
  });
  return [...leftOut, ...paid];
};

const approvalOf = ({ approvedBy: actor, approvedAt: at }: PayoutRun) => (actor && at ? { actor, at } : null);

/** Uses the method that the affiliate chooses now: a method other than the draft's means another destination. */
const termsOf = (run: PayoutRun, { affiliateId, programId, amount, rail, destinationHash }: PlannedItem) => {
  const planned = { asOf: run.asOf, amount, minAmount: run.minAmount ?? null, rail, destinationHash };
  return { affiliateId, programId, planned };
};

const isLeftOutReason = (reason: unknown): reason is LeftOutReason => LEFT_OUT_REASONS.some((known) => known === reason);

/** Why nobody is paid; null for a fault. */
const reasonOf = async (
  ctx: Context,
  { affiliateId }: { affiliateId: string },
  error: unknown,
): Promise<LeftOutReason | null> => {
  if (error instanceof PlanChanged) return error.reason;
  const reason = error instanceof AppError ? error.details?.['reason'] : undefined;
  if (reason === 'NOTHING_PAYABLE') return whyNothingPayable(ctx, affiliateId);
  return isLeftOutReason(reason) ? reason : null;
};

const whyNothingPayable = async (ctx: Context, affiliateId: string): Promise<LeftOutReason> => {
  const held = await firstRow(ctx.em, heldCommissionsOf(sql`${affiliateId}::uuid`));
  if (held && held.disputed > 0) return 'HELD_BY_DISPUTE';
  return held && held.amount > 0 ? 'HELD_BY_FLAG' : 'NOTHING_PAYABLE';
};

/** SQLSTATE classes of lost connections, deadlocks, missing resources and timeouts: the page is repeated. */
const OF_TRANSACTION = /^(08|25|40|53|55|57)/;

const isOfTransaction = (error: unknown): boolean => OF_TRANSACTION.test(identifiersOf(error).code ?? '');
