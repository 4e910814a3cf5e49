import type { RailAccount } from './rail.ts';

/** An account with its changes: null clears a field. */
export const changedBy = (account: RailAccount, changes: RailAccount): RailAccount =>
  Object.fromEntries(Object.entries({ ...account, ...changes }).filter(([, value]) => value !== null));
