import type { Context } from '../../platform/context.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import { isGranted } from '../auth/index.ts';
import { db } from '../tables.ts';
import type { StripeConnection } from './use-cases/stripe-connection.ts';

/** What a person who granted access has to confirm. */
export interface PendingStripeAccount {
  programName: string;
  companyName: string;
  accountId: string;
  livemode: boolean;
}

/** Requests that have not expired, and whose maker may act. */
const liveRequests = (ctx: Context) => {
  const now = ctx.clock.now().toISOString();
  return db
    .selectFrom('stripe_connect_request as r')
    .where('r.expiresAt', '>', now)
    .where(isGranted(ctx, sql.ref('r.grantId')));
};

/** A request that can still be used, whose maker may act. */
export const findStripeRequest = (ctx: Context, state: string): Promise<{ programId: string } | null> =>
  firstRow(ctx.em, liveRequests(ctx).select('r.programId').where('r.state', '=', state).where('r.usedAt', 'is', null));

/** Keeps the account until a person decides. Null when another request began meanwhile. */
export const saveStripeAccount = (
  ctx: Context,
  { state, accountId, livemode }: { state: string; accountId: string; livemode: boolean },
): Promise<PendingStripeAccount | null> =>
  firstRow(
    ctx.em,
    db
      .updateTable('stripe_connect_request as r')
      .from('program as p')
      .innerJoin('merchant as m', 'm.id', 'p.merchantId')
      .set({ accountId, livemode })
      .where('r.state', '=', state)
      .whereRef('p.id', '=', 'r.programId')
      .returning(['p.name as programName', 'm.companyName', 'r.accountId', 'r.livemode'])
      .$narrowType<{ accountId: string; livemode: boolean }>(),
  );

/** The account that waits for a decision, once. Null when it was decided, has expired, or whoever made it may no longer act. */
export const takeStripeAccount = (ctx: Context, { state }: { state: string }): Promise<StripeConnection | null> =>
  firstRow(
    ctx.em,
    db
      .with('open', () =>
        liveRequests(ctx)
          .select(['r.programId', 'r.accountId', 'r.livemode'])
          .where('r.state', '=', state)
          .where('r.accountId', 'is not', null)
          .forUpdate('r'),
      )
      .updateTable('stripe_connect_request as taken')
      .from('open')
      .set({ accountId: null, livemode: null })
      .whereRef('taken.programId', '=', 'open.programId')
      .returning(['open.programId', 'open.accountId', 'open.livemode'])
      .$narrowType<{ accountId: string; livemode: boolean }>(),
  );
