import type { EntityData } from '@mikro-orm/core';
import { LEFT_OUT_REASONS, type LeftOutReason } from '../../../contracts/payout-runs.ts';
import { type Rail, railsOfKind } from '../../../contracts/rails.ts';
import { MAX_UNANSWERED, type PayoutRunSnapshot } from '../../../contracts/workflows/payout-runs.ts';
import { SECOND_MS } from '../../../platform/clock.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { execute, firstRow, flushPending, rows, sql } from '../../../platform/database/sql.ts';
import { json } from '../../../platform/database/table.ts';
import { AppError } from '../../../platform/errors.ts';
import { faultPoint } from '../../../platform/fault-points.ts';
import { FIRST_ID } from '../../../platform/ids.ts';
import { identifiersOf } from '../../../platform/logger.ts';
import { heldCommissionsOf } from '../../conversions/index.ts';
import { lockBalances } from '../../ledger/index.ts';
import { announcePayouts, PlanChanged, placePayout } from '../../payouts/index.ts';
import { PayoutRun } from '../payout-run.entity.ts';
import { getRunSnapshot, isUnanswered } from '../run-progress.queries.ts';

// Templates: rows are locked in an order, and written from a document.

/** Items of one transaction. */
const PAGE = 100;
/** Pages at once, where all may be created and many are left: one uses the database while another one computes. */
const AT_ONCE = 2;
/** A page ends early after this time: others wait for the balances that it locks. */
const PAGE_MS = 250;
/** Of one step of the workflow: well below the timeout of its activity. */
const STEP_MS = 4 * SECOND_MS;

const ONLINE = railsOfKind('online');
/** Nothing is sent on these before a person acts. */
const BY_HAND = [...railsOfKind('manual'), ...railsOfKind('file')];

interface PlannedItem {
  affiliateId: string;
  programId: string;
  amount: number;
  rail: Rail;
  destinationHash: string | null;
}

interface ItemResult {
  affiliateId: string;
  result: 'payout' | 'left_out';
  reason: LeftOutReason | null;
  payoutId: string | null;
  paidAmount: number | null;
}

type Payout = Awaited<ReturnType<typeof placePayout>>;

interface Page {
  /** Of its last item; null when nothing is left that may be created. */
  last: string | null;
  /** Whether there may be more. */
  isFull: boolean;
  /** Items that stay planned because of an error of ours. */
  stuck: number;
}

/**
 * Creates payouts of a run for a few seconds, page by page: all that are paid by hand, and as many on online rails as may wait for an
 * answer. Each page asks whether the run still runs. The second call goes on where the first one ended.
 */
export const createRunPayouts = async (ctx: Context, { runId }: { runId: string }): Promise<PayoutRunSnapshot> => {
  const endsAt = performance.now() + STEP_MS;
  let stuck = 0;
  for (const rails of [BY_HAND, ONLINE]) {
    let atOnce = 1;
    for (let last: string | null = FIRST_ID; last !== null && performance.now() < endsAt; ) {
      // All end before the next ones begin: whoever pauses the run waits for these only.
      const input = { runId, rails, after: last };
      const pages = await Promise.all(Array.from({ length: atOnce }, () => createPage(ctx, input)));
      faultPoint('run:after-page');
      stuck += pages.reduce((sum, page) => sum + page.stuck, 0);
      last = lastOf(pages);
      atOnce = rails !== ONLINE && pages.every(({ isFull }) => isFull) ? AT_ONCE : 1;
    }
  }
  return { ...(await getRunSnapshot(ctx, runId)), stuck };
};

/** The furthest: what a page that ended early left behind it is for the next step. */
const lastOf = (pages: readonly Page[]): string | null =>
  pages
    .flatMap(({ last }) => last ?? [])
    .sort()
    .at(-1) ?? null;

const createPage = (
  ctx: Context,
  { runId, rails, after }: { runId: string; rails: readonly Rail[]; after: string },
): Promise<Page> =>
  inTransaction(ctx, async (ctx) => {
    const run = await lockFor(ctx, runId, rails);
    if (run?.status !== 'running') return { last: null, isFull: false, stuck: 0 };
    const items = await nextItems(ctx, { runId, rails, after, limit: await pageSize(ctx, runId, rails) });
    await lockBalances(
      ctx,
      items.map(({ affiliateId }) => affiliateId),
    );
    // After the wait for locks: each page does something.
    const endsAt = performance.now() + PAGE_MS;
    const results: ItemResult[] = [];
    const payouts: Payout[] = [];
    let tried = 0;
    while (tried < items.length && performance.now() < endsAt) {
      const item = items[tried++];
      const done = item && (await tryItem(ctx, run, item));
      if (!done) continue;
      results.push(done.result);
      if (done.payout) payouts.push(done.payout);
    }
    if (payouts.length > 0) await announcePayouts(ctx, payouts);
    await writeResults(ctx, runId, results);
    faultPoint('run:before-page-commit');
    return { last: items[tried - 1]?.affiliateId ?? null, isFull: items.length === PAGE, stuck: tried - results.length };
  });

const pageSize = async (ctx: Context, runId: string, rails: readonly Rail[]): Promise<number> => {
  if (rails !== ONLINE) return PAGE;
  const waiting = await firstRow(
    ctx.em,
    sql<{ count: number }>`select count(*) as count from payout p where p.payout_run_id = ${runId} and ${isUnanswered}`,
  );
  return Math.max(0, Math.min(PAGE, MAX_UNANSWERED - (waiting?.count ?? 0)));
};

/** Nobody changes the run until the page is committed. Pages beside each other share it, unless they count what waits. */
const lockFor = async (ctx: Context, id: string, rails: readonly Rail[]): Promise<PayoutRun | null> => {
  const mode = rails === ONLINE ? sql`for no key update` : sql`for share`;
  const row = await firstRow(ctx.em, sql<EntityData<PayoutRun>>`select * from payout_run where id = ${id} ${mode}`);
  return row && ctx.em.map(PayoutRun, row);
};

/** In the order of ids, as everybody locks balances. Items of another page, or of one that is repeated, are passed over. */
const nextItems = (
  ctx: Context,
  { runId, rails, after, limit }: { runId: string; rails: readonly Rail[]; after: string; limit: number },
): Promise<PlannedItem[]> =>
  rows(
    ctx.em,
    sql<PlannedItem>`select affiliate_id as "affiliateId", program_id as "programId", amount, rail, destination_hash as "destinationHash"
      from payout_run_item where run_id = ${runId} and result = 'planned' and reason is null and affiliate_id > ${after}
        and rail = any(${rails}) order by affiliate_id limit ${limit} for update skip locked`,
  );

/** Null: an error of ours, after which nothing of the item is written. */
const tryItem = async (
  ctx: Context,
  run: PayoutRun,
  item: PlannedItem,
): Promise<{ result: ItemResult; payout?: Payout } | null> => {
  // Of its own: statements of later items need not compare the entities of this one.
  const em = ctx.em.fork({ keepTransactionContext: true });
  await execute(em, sql`savepoint item`);
  try {
    const payout = await payItem({ ...ctx, em }, run, item);
    await execute(em, sql`release savepoint item`);
    const { affiliateId } = item;
    return { payout, result: { affiliateId, result: 'payout', reason: null, payoutId: payout.id, paidAmount: payout.amount } };
  } catch (error) {
    await execute(ctx.em, sql`rollback to savepoint item`);
    await execute(ctx.em, sql`release savepoint item`);
    const reason = await reasonOf(ctx, item, error);
    const { affiliateId } = item;
    if (reason) return { result: { affiliateId, result: 'left_out', reason, payoutId: null, paidAmount: null } };
    if (isOfTransaction(error)) throw error;
    ctx.log.error({ err: error, runId: run.id, affiliateId: item.affiliateId }, 'a payout of a run cannot be created');
    return null;
  }
};

const payItem = async (ctx: Context, run: PayoutRun, item: PlannedItem): Promise<Payout> => {
  const { affiliateId, programId, amount, rail, destinationHash } = item;
  const planned = { runId: run.id, asOf: run.asOf, amount, minAmount: run.minAmount ?? null, rail, destinationHash };
  const payout = await placePayout(ctx, { affiliateId, programId, method: run.method ?? undefined, planned });
  await flushPending(ctx.em);
  return payout;
};

const isLeftOutReason = (reason: unknown): reason is LeftOutReason => LEFT_OUT_REASONS.some((known) => known === reason);

/** Why nobody is paid; null for a fault. */
const reasonOf = async (ctx: Context, { affiliateId }: PlannedItem, error: unknown): Promise<LeftOutReason | null> => {
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

const writeResults = async (ctx: Context, runId: string, results: readonly ItemResult[]): Promise<void> => {
  if (results.length === 0) return;
  await execute(
    ctx.em,
    sql`update payout_run_item i set result = r.result, reason = r.reason, payout_id = r."payoutId", paid_amount = r."paidAmount"
      from jsonb_to_recordset(${json(results)}) as r
        ("affiliateId" uuid, result text, reason text, "payoutId" uuid, "paidAmount" bigint)
      where i.run_id = ${runId} and i.affiliate_id = r."affiliateId"`,
  );
};
