import type { ErasedProfile } from '../../contracts/erasure.ts';
import type { Context } from '../../platform/context.ts';
import { execute } from '../../platform/database/sql.ts';
import { db } from '../tables.ts';

/** The account at Stripe is its owner's, and stays there. */
export const eraseConnections = (ctx: Context, { profileId }: Pick<ErasedProfile, 'profileId'>): Promise<number> =>
  execute(ctx.em, db.deleteFrom('stripe_connection').where('profileId', '=', profileId));
