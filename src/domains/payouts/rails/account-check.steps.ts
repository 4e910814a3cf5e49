import { isDeepStrictEqual } from 'node:util';
import type { RailAccountStatus } from '../../../contracts/rail-accounts.ts';
import type { Rail } from '../../../contracts/rails.ts';
import type { Context } from '../../../platform/context.ts';
import { execute, firstRow, rows, sql } from '../../../platform/database/sql.ts';
import { json } from '../../../platform/database/table.ts';
import { db } from '../../tables.ts';
import { signalPayoutsOfAccount } from '../payout-workflow.steps.ts';
import type { AccountCheck, AccountFinding, RailAccount } from './rail.ts';
import { accountOf, FREE, partsOf } from './rail-accounts.steps.ts';
import { definitionOf } from './rails.ts';

/** What a provider answered to a check of this revision of an account. */
export interface CheckedAccount {
  id: string;
  revision: number;
  startedAt: Date;
  /** Null: it did not answer. */
  check: AccountCheck | null;
}

export interface CheckResult {
  before: { status: RailAccountStatus; findings: readonly AccountFinding[] | null };
  after: { status: RailAccountStatus; findings: readonly AccountFinding[] | null };
}

const MAX_FINDINGS = 20;
const MAX_BALANCES = 50;

/**
 * Stores the answer of a check. One that finds nothing ends a hold that began before it, and tells payouts that wait. Null, and nothing is
 * stored, when the account was changed or disconnected since, or a later check was answered.
 */
export const saveCheck = async (
  ctx: Context,
  { id, revision, startedAt, check }: CheckedAccount,
): Promise<CheckResult | null> => {
  const account = await firstRow(ctx.em, db.selectFrom('rail_account').select(STORED).where('id', '=', id).forUpdate());
  if (!account || account.secrets === null || account.revision !== revision) return null;
  if (account.checkedAt !== null && new Date(account.checkedAt) > startedAt) return null;
  const before = { status: account.status, findings: account.findings };
  const at = startedAt.toISOString();
  const version = db.updateTable('rail_account').where('id', '=', id);
  if (check === null) {
    await execute(ctx.em, version.set({ unansweredAt: at }));
    return { before, after: before };
  }
  const low = await isBelowDue(ctx, account, check.balances ?? {});
  const found = low ? [...check.findings, BELOW_DUE] : check.findings;
  const findings = found.slice(0, MAX_FINDINGS);
  const canPay = check.findings.every(({ isWarning }) => isWarning);
  const isFreed = canPay && account.heldSince !== null && new Date(account.heldSince) <= startedAt;
  const status = canPay && (isFreed || account.heldSince === null) ? 'ready' : 'failing';
  const balances = check.balances && json(Object.fromEntries(Object.entries(check.balances).slice(0, MAX_BALANCES)));
  // An answer to an order that was sent before says less about the account.
  const freed = isFreed ? { ...FREE, updatedAt: at } : {};
  const told = { status, findings: json(findings), balances, checkedAt: at, unansweredAt: null } as const;
  await execute(ctx.em, version.set({ ...told, ...freed, ...withLearned(ctx, { ...account, secrets: account.secrets }, check) }));
  if (status === 'ready' && before.status !== 'ready') await signalPayoutsOfAccount(ctx, account);
  return { before, after: { status, findings } };
};

const BELOW_DUE: AccountFinding = { name: 'balance_below_due', isWarning: true };

/** Whether the provider shows less in a currency than the account's payouts that wait add up to. A balance that it does not show says nothing. */
const isBelowDue = async (
  ctx: Context,
  { merchantId, rail }: { merchantId: string; rail: Rail },
  balances: Readonly<Record<string, number>>,
): Promise<boolean> => {
  if (Object.keys(balances).length === 0) return false;
  const due = await rows(
    ctx.em,
    db
      .selectFrom('payout')
      .select(['currency', sql<string>`sum(amount)`.as('amount')])
      .where('merchantId', '=', merchantId)
      .where('rail', '=', rail)
      .where('status', '=', 'pending')
      .groupBy('currency'),
  );
  return due.some(({ currency, amount }) => (balances[currency] ?? 0) < Number(amount));
};

const STORED = [
  ...(['id', 'merchantId', 'rail', 'revision', 'settings', 'secrets', 'status', 'findings', 'heldSince', 'checkedAt'] as const),
];

interface Stored {
  id: string;
  rail: Rail;
  revision: number;
  settings: RailAccount;
  secrets: string;
}

/** What the check found out is part of the account from now on, as if its owner had entered it. */
const withLearned = (ctx: Context, stored: Stored, { learned = {} }: AccountCheck) => {
  const definition = definitionOf(stored.rail);
  const known = accountOf(ctx, stored);
  const names = definition.learned ?? [];
  const news = Object.entries(learned).filter(([name, value]) => names.includes(name) && !isDeepStrictEqual(known[name], value));
  if (news.length === 0) return {};
  const account = definition.accountSchema.parse({ ...known, ...Object.fromEntries(news) });
  return { ...partsOf(ctx, stored.rail, stored.id, account), revision: stored.revision + 1 };
};
