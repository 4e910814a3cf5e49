import { type Context, inTransaction } from '../../../platform/context.ts';
import { firstRow } from '../../../platform/database/sql.ts';
import { db } from '../../tables.ts';

/** A request can be used once. Null when it was used, replaced or has expired, or when its key may no longer act. */
export const useStripeRequest = (ctx: Context, input: { state: string }): Promise<{ programId: string } | null> =>
  inTransaction(ctx, async (ctx) => {
    const now = ctx.clock.now().toISOString();
    return firstRow(
      ctx.em,
      db
        .updateTable('stripe_connect_request as r')
        .from('api_key as k')
        .set({ usedAt: now })
        .where('r.state', '=', input.state)
        .where('r.usedAt', 'is', null)
        .where('r.expiresAt', '>', now)
        .whereRef('k.id', '=', 'r.keyId')
        .where('k.revokedAt', 'is', null)
        .where(({ eb, or }) => or([eb('k.expiresAt', 'is', null), eb('k.expiresAt', '>', now)]))
        .returning('r.programId'),
    );
  });
