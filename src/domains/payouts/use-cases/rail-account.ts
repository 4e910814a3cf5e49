import type { Rail } from '../../../contracts/rails.ts';
import { recordChange } from '../../../platform/audit-log/record-change.ts';
import { type Context, inTransaction, merchantOf } from '../../../platform/context.ts';
import { execute, firstRow, sql } from '../../../platform/database/sql.ts';
import { json } from '../../../platform/database/table.ts';
import { conflict, notFound } from '../../../platform/errors.ts';
import { db } from '../../tables.ts';
import { maskSettings } from '../accounts/account-body.rules.ts';
import { getRailAccount } from '../accounts/rail-accounts.queries.ts';
import type { RailAccountView } from '../accounts/rail-accounts.wire.ts';
import { type CheckedAccount, saveCheck } from '../rails/account-check.steps.ts';
import type { RailAccount } from '../rails/rail.ts';
import { type ChangedAccount, FREE, type IdentifiedAccount, lockAccountsOf, storeVersion } from '../rails/rail-accounts.steps.ts';
import { definitionOf } from '../rails/rails.ts';

// Templates: a condition over another table.

/** Returns the id of its version. */
export const connectRailAccount = (ctx: Context, given: IdentifiedAccount): Promise<string> =>
  inTransaction(ctx, (ctx) => storeAccount(ctx, given, given.account));

/** Returns the id of its version: another account is another one. */
export const updateRailAccount = (ctx: Context, given: ChangedAccount): Promise<string> =>
  inTransaction(ctx, (ctx) => storeAccount(ctx, given, given.changes));

const storeAccount = async (ctx: Context, given: IdentifiedAccount, entered: RailAccount): Promise<string> => {
  const { merchantId, rail } = given;
  const { id, settingsBefore, account } = await storeVersion(ctx, given);
  await recordChange(ctx, {
    ownerId: merchantId,
    action: settingsBefore === null ? 'rail_account.connected' : 'rail_account.updated',
    resourceId: id,
    before: settingsBefore === null ? {} : maskSettings(rail, settingsBefore),
    after: { ...maskSettings(rail, account), ...(settingsBefore === null && { rail }) },
    hidden: definitionOf(rail).secrets.filter((name) => entered[name] !== undefined),
  });
  return id;
};

/** Stores what the provider said, and returns the current account. */
export const checkRailAccount = (
  ctx: Context,
  of: { merchantId: string; rail: Rail },
  checked: CheckedAccount,
): Promise<RailAccountView> =>
  inTransaction(ctx, async (ctx) => {
    const result = await saveCheck(ctx, checked);
    if (result !== null && checked.check !== null) {
      const named = ({ status, findings }: typeof result.before) => ({
        status,
        findings: findings?.map(({ name }) => name) ?? null,
      });
      await recordChange(ctx, {
        ownerId: of.merchantId,
        action: 'rail_account.checked',
        resourceId: checked.id,
        before: named(result.before),
        after: named(result.after),
      });
    }
    return getRailAccount(ctx, of);
  });

/**
 * Nothing is paid from the account any more, and its secrets are deleted: notices of its payments can no longer be verified. Throws
 * NOT_FOUND, and RAIL_ACCOUNT_IN_USE while a payout is to be paid from it, or its outcome is open.
 */
export const disconnectRailAccount = (ctx: Context, rail: Rail): Promise<RailAccountView> =>
  inTransaction(ctx, async (ctx) => {
    const merchantId = merchantOf(ctx);
    await lockAccountsOf(ctx, { merchantId, rail });
    const account = await getRailAccount(ctx, { merchantId, rail });
    await assertUnused(ctx, { merchantId, rail, openPayments: account.openPayments });
    const version = db.selectFrom('rail_account').select('settings').where('id', '=', account.id);
    const stored = await firstRow(ctx.em, version.forUpdate());
    if (!stored) throw notFound('Rail account');
    const learned = definitionOf(rail).learned ?? [];
    const settings = Object.fromEntries(Object.entries(stored.settings).filter(([name]) => !learned.includes(name)));
    const gone = { isCurrent: false, secrets: null, settings: json(settings), ...FREE, status: 'unchecked' } as const;
    const change = db.updateTable('rail_account').set(({ eb }) => ({
      ...gone,
      ...{ findings: null, balances: null, checkedAt: null, unansweredAt: null, updatedAt: ctx.clock.now().toISOString() },
      revision: eb('revision', '+', 1),
    }));
    await execute(ctx.em, change.where('id', '=', account.id));
    await recordChange(ctx, {
      ownerId: merchantId,
      action: 'rail_account.disconnected',
      resourceId: account.id,
      before: { rail, ...maskSettings(rail, stored.settings) },
    });
    return { ...account, isCurrent: false };
  });

interface Used {
  merchantId: string;
  rail: Rail;
  openPayments: number;
}

/** A payout keeps its rail, so one that was not sent yet could not be paid by another. */
const assertUnused = async (ctx: Context, { merchantId, rail, openPayments }: Used): Promise<void> => {
  const waiting = sql<{ count: number }>`select count(*)::int as count from (select from payout where merchant_id = ${merchantId}
    and status = 'pending' and rail = ${rail} limit 10000) as waiting`;
  const pending = (await firstRow(ctx.em, waiting))?.count ?? 0;
  if (openPayments + pending === 0) return;
  throw conflict(
    'RAIL_ACCOUNT_IN_USE',
    'Payouts are to be paid from this account, or their outcome is open: wait, or cancel them',
    {
      openPayments,
      pendingPayouts: pending,
    },
  );
};
