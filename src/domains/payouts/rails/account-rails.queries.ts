import type { Rail } from '../../../contracts/rails.ts';
import type { Context } from '../../../platform/context.ts';
import type { OnlineRail } from './rail.ts';
import { readRailAccount } from './rail-accounts.steps.ts';
import { getRail, type Rails } from './rails.ts';

/** The rail of an attempt, with the version of the account that it was first sent with: look-ups and resends use no other. */
export const railOfAttempt = async (
  ctx: Context,
  rails: Rails,
  { rail, railAccountId }: { rail: Rail; railAccountId?: string | null },
): Promise<OnlineRail> => (railAccountId ? rails.open(await readRailAccount(ctx, railAccountId)) : getRail(rails, rail));
