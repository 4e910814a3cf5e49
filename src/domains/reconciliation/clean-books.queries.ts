import { RAIL_NAMES } from '../../contracts/rails.ts';
import { after, DAY_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { firstRow, rows, sql } from '../../platform/database/sql.ts';
import { anyOf } from '../../platform/database/table.ts';
import type { OpenPaymentsHold, Rails } from '../payouts/index.ts';
import { db } from '../tables.ts';
import { type ComparedAccount, hasList, listInstallationAccounts, listMerchantAccounts } from './accounts.queries.ts';

// A template: the condition is that of the partial index.

/** What stands against the books being complete. */
export interface OpenQuestions {
  /** Accounts that no comparison covered since the hold, up to the hold. */
  uncompared: ComparedAccount[];
  /** Payments that providers list and our books do not have. */
  missingHere: number;
  /** Rails without a list that paid in the last 90 days or are to pay, or with sums of files that are not known: only people know what was paid. */
  withoutList: string[];
}

const RECENT_MS = 90 * DAY_MS;
const PAGE = 500;

/** Whether the books were compared with every list since payments are on hold, and nothing is missing here. */
export const findOpenQuestions = async (
  ctx: Context,
  rails: Pick<Rails, 'find'>,
  { heldAt }: OpenPaymentsHold,
): Promise<OpenQuestions> => {
  const accounts = await allAccounts(ctx, rails);
  const compared = await findCompared(ctx, heldAt);
  const missing = await firstRow(
    ctx.em,
    sql<{ count: number }>`select count(*)::int as count from reconciliation_difference
      where kind = 'missing_here' and status in ('checking','open')`,
  );
  return {
    uncompared: accounts.filter((account) => !compared.has(keyOf(account))),
    missingHere: missing?.count ?? 0,
    withoutList: await findRecentRails(ctx),
  };
};

const keyOf = ({ rail, railAccountId }: ComparedAccount): string => `${rail} ${railAccountId ?? ''}`;

const allAccounts = async (ctx: Context, rails: Pick<Rails, 'find'>): Promise<ComparedAccount[]> => {
  const accounts = await listInstallationAccounts(ctx, {}, (rail) => rails.find(rail) !== null);
  for (let last: string | null = null; ; ) {
    const page = await listMerchantAccounts(ctx, {}, { after: last, limit: PAGE });
    accounts.push(...page);
    last = page.at(-1)?.railAccountId ?? null;
    if (page.length < PAGE) return accounts;
  }
};

/** Accounts whose list was complete up to a time. */
const findCompared = async (ctx: Context, upTo: Date): Promise<Set<string>> => {
  const found = await rows(
    ctx.em,
    db
      .selectFrom('reconciliation_run')
      .select(['rail', 'railAccountId'])
      .distinct()
      .where('status', '=', 'completed')
      .where('createdAt', '>=', upTo.toISOString())
      .where('completeUntil', '>=', upTo.toISOString())
      .$castTo<ComparedAccount>(),
  );
  return new Set(found.map(keyOf));
};

const findRecentRails = async (ctx: Context): Promise<string[]> => {
  const withoutList = RAIL_NAMES.filter((rail) => !hasList(rail));
  const since = after(ctx.clock.now(), -RECENT_MS).toISOString();
  const found = await rows(
    ctx.em,
    db
      .selectFrom('payout')
      .select('rail')
      .distinct()
      .where('rail', '=', anyOf(withoutList))
      .where(({ and, eb, or }) =>
        or([
          // What is to be paid may have been paid already, in hours that were lost.
          eb('status', 'in', ['pending', 'processing']),
          and([eb('status', '=', 'completed'), eb('completedAt', '>=', since)]),
        ]),
      )
      .orderBy('rail'),
  );
  return [...new Set([...found, ...(await findUnknownSums(ctx, since))].map(({ rail }) => rail))];
};

/** Rails of sums that a bank booked for files that are not known here: nobody can tell which payments they were. */
const findUnknownSums = (ctx: Context, since: string) =>
  rows(
    ctx.em,
    db
      .selectFrom('bank_booking as b')
      .innerJoin('rail_account as r', 'r.id', 'b.railAccountId')
      .select('r.rail')
      .distinct()
      .where('b.problem', '=', 'unknown_file')
      .where('b.createdAt', '>=', since),
  );
