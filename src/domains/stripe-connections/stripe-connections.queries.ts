import type { Rail } from '../../contracts/rails.ts';
import { type Context, profileOf } from '../../platform/context.ts';
import { firstRow, rows } from '../../platform/database/sql.ts';
import { db } from '../tables.ts';
import { type StoredConnection, type StripeConnectionView, toStripeConnection } from './stripe-connections.wire.ts';

/** The rail whose payees connect accounts. */
export const RAIL: Rail = 'stripe_connect';

/** More companies than anybody works for. */
const MAX_MERCHANTS = 100;

/** What merchants offer whose programs the profile takes part in, and has joined itself. */
const offersTo = (profileId: string) =>
  db
    .selectFrom('rail_account as r')
    .innerJoin('merchant as m', 'm.id', 'r.merchantId')
    .leftJoin('stripe_connection as c', (join) => join.onRef('c.railAccountId', '=', 'r.id').on('c.profileId', '=', profileId))
    .select(['m.id as merchantId', 'm.companyName', 'r.id as railAccountId', 'c.id as connectionId'])
    .select(['c.accountId', 'c.state', 'c.requirements', 'c.country', 'c.readyAt', 'c.disconnectedAt', 'c.cooldownUntil'])
    .where('r.rail', '=', RAIL)
    .where('r.isCurrent', '=', true)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('affiliate as a')
          .select('a.id')
          .whereRef('a.merchantId', '=', 'm.id')
          .where('a.profileId', '=', profileId)
          .where('a.profileHidden', '=', false),
      ),
    );

export type Offer = StoredConnection & { railAccountId: string; connectionId: string | null };

/** The offer of one merchant to the caller. Null: the merchant makes none. */
export const findOffer = async (ctx: Context, merchantId: string): Promise<Offer | null> =>
  firstRow(ctx.em, offersTo(profileOf(ctx)).where('m.id', '=', merchantId));

const listOffers = (ctx: Context): Promise<Offer[]> =>
  rows(ctx.em, offersTo(profileOf(ctx)).orderBy('m.companyName').orderBy('m.id').limit(MAX_MERCHANTS));

/** Sorted by company name and not paged: at most 100. */
export const listStripeConnections = async (ctx: Context): Promise<StripeConnectionView[]> =>
  (await listOffers(ctx)).map((offer) => toStripeConnection(offer, ctx.clock.now()));

/** Connections of the caller that Stripe has something to say about. */
export const listUnfinished = async (ctx: Context, limit: number): Promise<Offer[]> =>
  (await listOffers(ctx))
    .filter(({ accountId, state, disconnectedAt }) => accountId !== null && state !== 'ready' && disconnectedAt === null)
    .slice(0, limit);
