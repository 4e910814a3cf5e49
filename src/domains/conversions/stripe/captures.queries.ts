import type { Context } from '../../../platform/context.ts';
import { execute, firstRow } from '../../../platform/database/sql.ts';
import { json } from '../../../platform/database/table.ts';
import { db } from '../../tables.ts';
import type { StoredSession, StripePayer, StripeSale } from './stripe-fact.rules.ts';

/** What was stored first is kept. The caller holds the lock of the payment. */
export const storeSession = (
  ctx: Context,
  merchantId: string,
  { kind: _, customer, occurredAt, ...sale }: Omit<StripeSale, 'customer'> & { customer: StripePayer },
): Promise<number> => {
  const session = { session: json<StoredSession>({ ...sale, occurredAt: occurredAt.toISOString() }), ...customer };
  return execute(
    ctx.em,
    db
      .insertInto('stripe_authorization')
      .values({ merchantId, paymentId: sale.externalId, ...session, createdAt: ctx.clock.now().toISOString() })
      .onConflict((conflict) =>
        conflict.columns(['merchantId', 'paymentId']).doUpdateSet(session).where('stripe_authorization.session', 'is', null),
      ),
  );
};

/** Null: no session of the payment was received, or its sale is recorded. */
export const findSession = async (ctx: Context, merchantId: string, paymentId: string): Promise<StripeSale | null> => {
  const found = await firstRow(
    ctx.em,
    db
      .selectFrom('stripe_authorization')
      .select(['session', 'customerId', 'customerEmailDigest', 'customerCanonicalDigest', 'customerEmailDomain'])
      .where('merchantId', '=', merchantId)
      .where('paymentId', '=', paymentId),
  );
  if (!found?.session || found.customerId === null) return null;
  const { session, customerId, ...person } = found;
  return { kind: 'sale', ...session, customer: { customerId, ...person }, occurredAt: new Date(session.occurredAt) };
};

/** The sale has what was known of the customer. */
export const forgetSession = (ctx: Context, merchantId: string, paymentId: string): Promise<number> =>
  execute(
    ctx.em,
    db.updateTable('stripe_authorization').set(FORGOTTEN).where('merchantId', '=', merchantId).where('paymentId', '=', paymentId),
  );

export const FORGOTTEN = {
  session: null,
  customerId: null,
  customerEmailDigest: null,
  customerCanonicalDigest: null,
  customerEmailDomain: null,
};

interface Captured {
  externalId: string;
  capturedGross: number;
  releasedGross: number;
}

/** What was reported first is kept. The caller holds the lock of the payment. */
export const storeCapture = (
  ctx: Context,
  merchantId: string,
  { externalId, capturedGross: captured, releasedGross: released }: Captured,
): Promise<number> =>
  execute(
    ctx.em,
    db
      .insertInto('stripe_authorization')
      .values({ merchantId, paymentId: externalId, captured, released, ...FORGOTTEN, createdAt: ctx.clock.now().toISOString() })
      .onConflict((conflict) =>
        conflict
          .columns(['merchantId', 'paymentId'])
          .doUpdateSet({ captured, released })
          .where('stripe_authorization.captured', 'is', null),
      ),
  );

/** Minor units with tax; null before the payment was captured. */
export const findCapture = async (ctx: Context, merchantId: string, paymentId: string): Promise<number | null> => {
  const found = await firstRow(
    ctx.em,
    db
      .selectFrom('stripe_authorization')
      .select('captured')
      .where('merchantId', '=', merchantId)
      .where('paymentId', '=', paymentId),
  );
  return found?.captured ?? null;
};
