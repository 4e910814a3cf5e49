import type { Rail } from '../../../contracts/rails.ts';
import { type Context, merchantOf } from '../../../platform/context.ts';
import { notFound } from '../../../platform/errors.ts';
import type { CheckedAccount } from '../rails/account-check.steps.ts';
import type { RailAccount, WalkedStep } from '../rails/rail.ts';
import { findCurrentAccount, identifyAccount, readRailAccount } from '../rails/rail-accounts.steps.ts';
import { definitionOf } from '../rails/rails.ts';
import { connectRailAccount, updateRailAccount } from '../use-cases/rail-account.ts';
import { readAccount, readChangedAccount } from './account-body.rules.ts';

interface Owned {
  merchantId: string;
  rail: Rail;
}

/** Asks the provider of a merchant's current account. Throws NOT_FOUND without one. */
export const checkCurrentAccount = async (ctx: Context, of: Owned): Promise<CheckedAccount> =>
  checkAccount(ctx, await currentVersion(ctx, of));

const checkAccount = async (ctx: Context, id: string): Promise<CheckedAccount> => {
  const version = await readRailAccount(ctx, id);
  const startedAt = ctx.clock.now();
  const check = await ctx.settings.rails.check(version);
  return { id, revision: version.revision, startedAt, check };
};

/** The version that new payouts are paid from. Throws NOT_FOUND without one. */
const currentVersion = async (ctx: Context, { merchantId, rail }: Owned): Promise<string> => {
  const id = await findCurrentAccount(ctx, merchantId, rail);
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
  const of = { merchantId: merchantOf(ctx), rail };
  const { account: known } = await readRailAccount(ctx, await currentVersion(ctx, of));
  if (known === null) throw notFound('Rail account');
  const given = { ...of, account: readChangedAccount(rail, known, changes) };
  const id = await updateRailAccount(ctx, { ...(await identifyAccount(ctx, given)), changes });
  return checkAccount(ctx, id);
};

/**
 * Sends what the provider of a rail documents for its sandbox, with an account of the sandbox that is stored nowhere. Null: the provider
 * documents nothing. Throws VALIDATION_ERROR, and BAD_REQUEST for a live account.
 */
export const walkSandbox = (
  { clock, settings }: Pick<Context, 'clock' | 'settings'>,
  rail: Rail,
  given: RailAccount,
): AsyncIterable<WalkedStep> | null => {
  const { sandboxWalk } = definitionOf(rail);
  if (!sandboxWalk) return null;
  const { providerUrl = null } = settings.rails.toolsOf(rail, '');
  return sandboxWalk(readAccount(rail, given), { clock, noticeUrl: null, providerUrl });
};
