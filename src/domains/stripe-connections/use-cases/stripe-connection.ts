import { DETAILS_COOLDOWN_MS } from '../../../contracts/people.ts';
import { after } from '../../../platform/clock.ts';
import { type Context, inTransaction, profileOf } from '../../../platform/context.ts';
import { execute, firstRow, sql } from '../../../platform/database/sql.ts';
import { conflict, notFound } from '../../../platform/errors.ts';
import { getProfileEmail } from '../../affiliates/index.ts';
import { isPersonOrNewKey } from '../../auth/index.ts';
import { db } from '../../tables.ts';
import { tellOwner, waitAfter } from '../payee-state.steps.ts';
import { findOffer, RAIL } from '../stripe-connections.queries.ts';
import { type StripeConnectionView, toStripeConnection } from '../stripe-connections.wire.ts';

/** The caller's connection before Stripe is asked. */
export interface ReservedConnection {
  id: string;
  railAccountId: string;
  accountId: string | null;
  email: string;
  country: string;
}

/** A person, or a key that a person made a short time ago. */
const hasToWait = (ctx: Context): Promise<boolean> =>
  isPersonOrNewKey(ctx, after(ctx.clock.now(), -ctx.settings.scaled(DETAILS_COOLDOWN_MS)));

/**
 * The connection of the caller, made unless there is one: two clicks have the same. Throws NOT_FOUND for a company that the caller does not
 * work for, or that pays nobody through Stripe.
 */
export const reserveConnection = (ctx: Context, given: { merchantId: string; country: string }): Promise<ReservedConnection> =>
  inTransaction(ctx, async (ctx) => {
    const { merchantId, country } = given;
    const offer = await findOffer(ctx, merchantId);
    if (!offer) throw notFound('Company that pays through Stripe');
    const { railAccountId } = offer;
    const profileId = profileOf(ctx);
    const at = ctx.clock.now().toISOString();
    const row = { id: ctx.ids.next(), profileId, merchantId, railAccountId, country, hasToWait: await hasToWait(ctx) };
    const stored = await firstRow(
      ctx.em,
      db
        .insertInto('stripe_connection')
        .values({ ...row, createdAt: at, updatedAt: at })
        .onConflict((known) =>
          known.columns(['profileId', 'merchantId', 'railAccountId']).doUpdateSet({
            disconnectedAt: null,
            updatedAt: at,
            // People who connect again are asked again; those who only continue are no less suspicious than before.
            hasToWait: sql<boolean>`stripe_connection.has_to_wait or excluded.has_to_wait`,
          }),
        )
        .returning(['id', 'accountId', 'country']),
    );
    if (!stored) throw notFound('Connection');
    return { ...stored, railAccountId, email: await getProfileEmail(ctx, profileId) };
  });

/** NOT_FOUND as for `reserveConnection`. */
export const getStripeConnection = async (ctx: Context, merchantId: string): Promise<StripeConnectionView> => {
  const offer = await findOffer(ctx, merchantId);
  if (!offer) throw notFound('Company that pays through Stripe');
  return toStripeConnection(offer, ctx.clock.now());
};

/**
 * Pays the caller to their payout details again. The account at Stripe stays, with what is in it. Throws PAYOUT_IN_FLIGHT. The second call
 * changes nothing.
 */
export const deleteStripeConnection = (ctx: Context, { merchantId }: { merchantId: string }): Promise<StripeConnectionView> =>
  inTransaction(ctx, async (ctx) => {
    const profileId = profileOf(ctx);
    const own = db.selectFrom('stripe_connection').select(['id', 'readyAt']).where('profileId', '=', profileId);
    const known = await firstRow(
      ctx.em,
      own
        .where('merchantId', '=', merchantId)
        .where('disconnectedAt', 'is', null)
        .orderBy('createdAt', 'desc')
        .limit(1)
        .forNoKeyUpdate(),
    );
    if (!known) return getStripeConnection(ctx, merchantId);
    await assertNothingIsSent(ctx, { profileId, merchantId });
    const at = ctx.clock.now().toISOString();
    const waits = known.readyAt === null ? {} : await waitAfter(ctx, { hasToWait: await hasToWait(ctx) }, false);
    const ended = { disconnectedAt: at, readyAt: null, updatedAt: at, ...waits };
    await execute(ctx.em, db.updateTable('stripe_connection').set(ended).where('id', '=', known.id));
    if (known.readyAt !== null) await tellOwner(ctx, profileId, 'payout_details');
    return getStripeConnection(ctx, merchantId);
  });

const assertNothingIsSent = async (ctx: Context, { profileId, merchantId }: { profileId: string; merchantId: string }) => {
  const open = await firstRow(
    ctx.em,
    db
      .selectFrom('payout')
      .select('id')
      .where('profileId', '=', profileId)
      .where('merchantId', '=', merchantId)
      .where('rail', '=', RAIL)
      .where('status', 'in', ['pending', 'processing'])
      .limit(1),
  );
  if (open) throw conflict('PAYOUT_IN_FLIGHT', 'A payout to your account at Stripe is in progress; disconnect it afterward');
};
