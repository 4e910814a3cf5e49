import { isConfirmedBy, isPaidFromMerchant } from '../../contracts/rails.ts';
import type { ReconciliationProblem } from '../../contracts/reconciliation.ts';
import { after, DAY_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { movementsOfAccount } from '../bank-files/index.ts';
import { getRail, type ListedMovement, type OnlineRail, type Rails, readRailAccount } from '../payouts/index.ts';
import type { ComparedAccount } from './accounts.queries.ts';

/** Where movements of an account come from. */
export interface MovementSource {
  /** Movements of a period, page by page, each once. */
  pages(since: Date, until: Date): AsyncIterable<readonly ListedMovement[]>;
  /** Whether everything that was paid at this time is certainly in what `pages` gives. */
  isListed(at: Date): boolean;
  /** Up to here. */
  completeUntil: Date;
  /** What the account holds now, in minor units by currency; null where the provider does not say. */
  balances(): Promise<Readonly<Record<string, number>> | null>;
}

/** A comparison that cannot come to its end. */
export class ComparisonStopped extends Error {
  readonly problem: ReconciliationProblem;

  constructor(problem: ReconciliationProblem) {
    super(`The comparison was stopped: ${problem}`);
    this.name = 'ComparisonStopped';
    this.problem = problem;
  }
}

/** Throws `ComparisonStopped` for a rail whose provider lists nothing. */
export const openSource = async (
  ctx: Context,
  rails: Rails,
  { rail: name, railAccountId }: ComparedAccount,
): Promise<MovementSource> => {
  if (isConfirmedBy(name, 'statusFile') && railAccountId !== null) return sourceOfStatements(ctx, railAccountId);
  const rail =
    isPaidFromMerchant(name) && railAccountId !== null
      ? rails.open(await readRailAccount(ctx, railAccountId))
      : getRail(rails, name);
  return sourceOfOnlineRail(rail, ctx.clock.now());
};

/** Pages of one window: a provider whose cursor leads in a circle must not keep a worker for ever. */
const MAX_PAGES = 2_000;

const sourceOfOnlineRail = (rail: OnlineRail, now: Date): MovementSource => {
  const { listIsLateByMs, listWindowMs } = rail.facts;
  if (!rail.list || listIsLateByMs === null || listWindowMs === null) throw new ComparisonStopped('no_list');
  const list = rail.list.bind(rail);
  const completeUntil = after(now, -listIsLateByMs);
  return {
    async *pages(since, until) {
      for (let from = since; from < until; from = after(from, listWindowMs)) {
        const to = new Date(Math.min(from.getTime() + listWindowMs, until.getTime()));
        yield* windowOf(list, from, to);
      }
    },
    isListed: (at) => at <= completeUntil,
    completeUntil,
    balances: async () => (rail.balances ? unlessSilent(rail.balances()) : null),
  };
};

async function* windowOf(list: OnlineRail['list'] & object, from: Date, to: Date): AsyncGenerator<readonly ListedMovement[]> {
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { movements, next } = await unlessSilent(list(from, to, cursor));
    yield movements;
    if (next === null) return;
    cursor = next;
  }
  throw new ComparisonStopped('too_many_movements');
}

/** What a provider says instead may contain addresses, so the reason is dropped. */
const unlessSilent = async <T>(answer: Promise<T>): Promise<T> => {
  try {
    return await answer;
  } catch {
    throw new ComparisonStopped('provider_unavailable');
  }
};

/** A bank books on the day on which it executes, or on the next one on which it settles. */
const BOOKED_WITHIN_DAYS = 5;

const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

/**
 * Statements that people and folders brought. What they do not have is missing at the bank only where all days are known on which it could
 * have been booked.
 */
const sourceOfStatements = async (ctx: Context, accountId: string): Promise<MovementSource> => {
  const now = ctx.clock.now();
  const { completeDays } = await movementsOfAccount(ctx, accountId, now, now);
  const complete = new Set(completeDays);
  const days = Array.from({ length: BOOKED_WITHIN_DAYS + 1 }, (_, n) => n * DAY_MS);
  return {
    async *pages(since, until) {
      for (let from = new Date(dayOf(since)); from <= until; from = after(from, STATEMENT_WINDOW_MS)) {
        const { movements } = await movementsOfAccount(ctx, accountId, from, after(from, STATEMENT_WINDOW_MS - DAY_MS));
        // It reads no more, and what it left out would look as if the bank did not have it.
        if (movements.length >= MAX_IN_WINDOW) throw new ComparisonStopped('too_many_movements');
        yield movements;
      }
    },
    isListed: (at) => days.every((ms) => complete.has(dayOf(after(at, ms)))),
    completeUntil: new Date(Date.parse(completeDays.at(-1) ?? FIRST_DAY) + DAY_MS),
    balances: async () => null,
  };
};

const STATEMENT_WINDOW_MS = 7 * DAY_MS;
const MAX_IN_WINDOW = 20_000;
/** Before anything was paid from here. */
const FIRST_DAY = '2000-01-01';
