import type { PayoutRunStatus } from '../../contracts/payout-runs.ts';
import type { PayoutStatus } from '../../contracts/payouts.ts';
import { isPaidByPerson, type Rail } from '../../contracts/rails.ts';
import { SECOND_MS } from '../../platform/clock.ts';
import { type Context, findCaller, inTransaction } from '../../platform/context.ts';
import { execute, firstRow, flushPending, rows, sql } from '../../platform/database/sql.ts';
import { anyOf } from '../../platform/database/table.ts';
import { AppError, conflict, notFound } from '../../platform/errors.ts';
import { faultPoint } from '../../platform/fault-points.ts';
import { readOwned } from '../../platform/ownership.ts';
import { lockBalances } from '../ledger/index.ts';
import { db } from '../tables.ts';
import { signalRunWorkflow } from './run-workflow.steps.ts';

/** Payouts of one transaction. */
const PAGE = 100;
/** A page ends early after this time: others wait for the balances that it locks. */
const PAGE_MS = 500;
/** Time for one request; the caller continues with what remains. */
const REQUEST_MS = 20 * SECOND_MS;

/** A payout as it was before the work. */
export interface ManualPayout {
  id: string;
  affiliateId: string;
  merchantId: string;
  runId: string | null;
  rail: Rail;
  status: PayoutStatus;
  amount: number;
  currency: string;
}

/** What the work on one payout returned, or why it was refused. */
export type Outcome<T> = { payoutId: string } & ({ done: T } | { refused: AppError });

export interface Worked<T> {
  outcomes: Outcome<T>[];
  /** Payouts that the request had no time for. */
  remaining: string[];
}

/** Throws NOT_FOUND, FORBIDDEN for the run of another merchant, and RUN_PAUSED. */
export const assertRunGoesOn = async (ctx: Context, runId: string): Promise<void> => {
  const run = readOwned(ctx, 'Payout run', await findRun(ctx, runId));
  if (run.status === 'paused') throw runPaused();
};

/** Throws NOT_FOUND, and FORBIDDEN for the run of another merchant. */
export const assertOwnRun = async (ctx: Context, runId: string): Promise<void> => {
  readOwned(ctx, 'Payout run', await findRun(ctx, runId));
};

const findRun = (ctx: Context, runId: string): Promise<{ merchantId: string; status: PayoutRunStatus } | null> =>
  firstRow(ctx.em, db.selectFrom('payout_run').select(['merchantId', 'status']).where('id', '=', runId));

export const isRunPausedError = ({ details }: AppError): boolean => details?.['reason'] === 'RUN_PAUSED';

const runPaused = (): AppError => conflict('RUN_PAUSED', 'The run is paused; resume it first');

const manualPayouts = () =>
  db
    .selectFrom('payout')
    .select(['id', 'affiliateId', 'merchantId', 'payoutRunId as runId', 'rail', 'status', 'amount', 'currency']);

/** Manual payouts of a run, in the order in which balances are locked. */
export const listManualOfRun = async (
  ctx: Context,
  runId: string,
  statuses: readonly PayoutStatus[],
): Promise<ManualPayout[]> => {
  const all = manualPayouts().where('payoutRunId', '=', runId).where('status', '=', anyOf(statuses)).orderBy('affiliateId');
  return (await rows(ctx.em, all)).filter(({ rail }) => isPaidByPerson(rail));
};

/** Payouts as stored, by id; ids that do not exist are left out. */
export const findPayouts = async (ctx: Context, ids: readonly string[]): Promise<Map<string, ManualPayout>> => {
  const found = await rows(ctx.em, manualPayouts().where('id', '=', anyOf(ids)));
  return new Map(found.map((payout) => [payout.id, payout]));
};

/** The payout, or why it cannot be worked on: it is missing, of another merchant or run, or paid by a provider. */
export const checkManual = (
  ctx: Context,
  payout: ManualPayout | undefined,
  runId: string | undefined,
): ManualPayout | AppError => {
  // Reveal nothing about another merchant's payout.
  if (!payout || !isOwn(ctx, payout) || (runId !== undefined && payout.runId !== runId)) return notFound('Payout');
  if (isPaidByPerson(payout.rail)) return payout;
  return conflict('RAIL_NOT_MANUAL', 'This payout is paid by a provider, not manually', { rail: payout.rail });
};

const isOwn = ({ actor }: Context, { merchantId }: ManualPayout): boolean =>
  (findCaller(actor)?.ownerId ?? merchantId) === merchantId;

interface EachPayout<T> {
  payouts: readonly { id: string; affiliateId: string; runId?: string | null }[];
  /** A run that must not be paused during the work. */
  runId?: string | undefined;
  /** No page begins after this time. */
  withinMs?: number | undefined;
  work(ctx: Context, payoutId: string): Promise<T>;
}

/**
 * Works on payouts by pages, each a transaction in which a refused payout is a savepoint. After a crash the pages that were committed
 * stay done: the work must be safe to repeat. Outside a transaction.
 */
export const onEachPayout = async <T>(
  ctx: Context,
  { payouts, runId, withinMs = REQUEST_MS, work }: EachPayout<T>,
): Promise<Worked<T>> => {
  const endsAt = performance.now() + withinMs;
  const waiting = payouts.toSorted((a, b) => (a.affiliateId < b.affiliateId ? -1 : 1));
  const outcomes: Outcome<T>[] = [];
  while (waiting.length > 0 && performance.now() < endsAt) {
    const page = waiting.slice(0, PAGE);
    const done = await workOnPage({ ...ctx, em: ctx.em.fork() as Context['em'] }, { payouts: page, runId, work });
    faultPoint('bulk:after-page');
    outcomes.push(...done);
    waiting.splice(0, done.length);
  }
  return { outcomes, remaining: waiting.map(({ id }) => id) };
};

const workOnPage = <T>(ctx: Context, { payouts, runId, work }: EachPayout<T>): Promise<Outcome<T>[]> =>
  inTransaction(ctx, async (ctx) => {
    const endsAt = performance.now() + PAGE_MS;
    const isPaused = runId !== undefined && (await isPausedNow(ctx, runId));
    await lockBalances(
      ctx,
      payouts.map(({ affiliateId }) => affiliateId),
    );
    const outcomes: Outcome<T>[] = [];
    for (const { id } of payouts) {
      if (outcomes.length > 0 && performance.now() > endsAt) break;
      outcomes.push(isPaused ? { payoutId: id, refused: runPaused() } : await tryOne(ctx, id, work));
    }
    // Signals once a page, so that a run whose last payouts are done ends immediately.
    for (const id of new Set(payouts.flatMap((payout) => payout.runId ?? []))) await signalRunWorkflow(ctx, { id });
    return outcomes;
  });

/** The lock, before those of balances, keeps the run from being paused until the page is committed. */
const isPausedNow = async (ctx: Context, runId: string): Promise<boolean> => {
  const locked = db.selectFrom('payout_run').select('status').where('id', '=', runId).forShare();
  return (await firstRow(ctx.em, locked))?.status === 'paused';
};

const tryOne = async <T>(ctx: Context, payoutId: string, work: EachPayout<T>['work']): Promise<Outcome<T>> => {
  // Fork, so that statements of later payouts need not compare the entities of this one.
  const em = ctx.em.fork({ keepTransactionContext: true }) as Context['em'];
  await execute(em, sql`savepoint payout`);
  try {
    const done = await work({ ...ctx, em }, payoutId);
    await flushPending(em);
    await execute(em, sql`release savepoint payout`);
    return { payoutId, done };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    await execute(ctx.em, sql`rollback to savepoint payout`);
    await execute(ctx.em, sql`release savepoint payout`);
    return { payoutId, refused: error };
  }
};
