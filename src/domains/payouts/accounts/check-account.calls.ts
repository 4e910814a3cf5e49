import type { Rail } from '../../../contracts/rails.ts';
import { type Context, merchantOf } from '../../../platform/context.ts';
import { notFound } from '../../../platform/errors.ts';
import type { CheckedAccount } from '../rails/account-check.steps.ts';
import type { RailAccount } from '../rails/rail.ts';
import { findCurrentAccount, identifyAccount, readRailAccount } from '../rails/rail-accounts.steps.ts';
import { connectRailAccount, updateRailAccount } from '../use-cases/rail-account.ts';
import { readAccount, readChangedAccount } from './account-body.rules.ts';

/** Asks the provider of the merchant's current account. Throws NOT_FOUND without one. */
export const checkCurrentAccount = async (ctx: Context, rail: Rail): Promise<CheckedAccount> =>
  checkAccount(ctx, await currentVersion(ctx, rail));

const checkAccount = async (ctx: Context, id: string): Promise<CheckedAccount> => {
  const version = await readRailAccount(ctx, id);
  const startedAt = ctx.clock.now();
  const check = await ctx.settings.rails.check(version);
  return { id, revision: version.revision, startedAt, check };
};

/** The version that new payouts are paid from. Throws NOT_FOUND without one. */
const currentVersion = async (ctx: Context, rail: Rail): Promise<string> => {
  const id = await findCurrentAccount(ctx, merchantOf(ctx), rail);
  if (id === null) throw notFound('Rail account');
  return id;
};

/**
 * Stores the account in a transaction of its own, and then asks its provider: a crash in between leaves it unchecked. Throws
 * VALIDATION_ERROR, and what the rail throws when only its provider knows whose account it is.
 */
export const connectAndCheck = async (
  ctx: Context,
  { rail, account }: { rail: Rail; account: RailAccount },
): Promise<CheckedAccount> => {
  const given = { merchantId: merchantOf(ctx), rail, account: readAccount(rail, account) };
  const id = await connectRailAccount(ctx, await identifyAccount(ctx, given));
  return checkAccount(ctx, id);
};

/** As `connectAndCheck`, with the current account and these changes. Throws NOT_FOUND without one. */
export const changeAndCheck = async (
  ctx: Context,
  { rail, changes }: { rail: Rail; changes: RailAccount },
): Promise<CheckedAccount> => {
  const { account: known } = await readRailAccount(ctx, await currentVersion(ctx, rail));
  if (known === null) throw notFound('Rail account');
  const given = { merchantId: merchantOf(ctx), rail, account: readChangedAccount(rail, known, changes) };
  const id = await updateRailAccount(ctx, { ...(await identifyAccount(ctx, given)), changes });
  return checkAccount(ctx, id);
};
