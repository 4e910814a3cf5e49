import type { Rail } from '../../../contracts/rails.ts';
import type { Context } from '../../../platform/context.ts';
import { invariant } from '../../../platform/errors.ts';
import type { OnlineRail, PayeeAccounts } from './rail.ts';
import { readRailAccount } from './rail-accounts.steps.ts';
import { getRail, type Rails } from './rails.ts';

/** The rail of an attempt, with the version of the account that it was first sent with: look-ups and resends use no other. */
export const railOfAttempt = async (
  ctx: Context,
  rails: Rails,
  { rail, railAccountId }: { rail: Rail; railAccountId?: string | null },
): Promise<OnlineRail> => (railAccountId ? rails.open(await readRailAccount(ctx, railAccountId)) : getRail(rails, rail));

/** Where payees connect accounts to one of a merchant's. */
export const openPayees = async (ctx: Context, railAccountId: string): Promise<PayeeAccounts> => {
  const { payees } = ctx.settings.rails.open(await readRailAccount(ctx, railAccountId));
  invariant(payees, 'payees of the rail connect accounts');
  return payees;
};
