import type { Context } from '../../platform/context.ts';
import { openPayees } from '../payouts/index.ts';
import { hearPayeeAccount } from './payee-state.steps.ts';
import { listUnfinished } from './stripe-connections.queries.ts';

/** Accounts that one request looks at: the others keep what was heard last. */
const MAX_LOOKS = 3;

/** Asks Stripe how accounts are whose owners are not done. What Stripe does not answer stays as it is. */
export const lookAtConnections = async (ctx: Context): Promise<void> => {
  for (const { railAccountId, connectionId, accountId } of await listUnfinished(ctx, MAX_LOOKS)) {
    const payees = await openPayees(ctx, railAccountId);
    const looked = accountId === null ? null : await payees.look(accountId);
    if (looked && connectionId !== null) await hearPayeeAccount(ctx, { id: connectionId }, looked);
  }
};
