import { randomUUID } from 'node:crypto';
import type { Context } from '../../platform/context.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import { parseEmail } from '../../platform/email.ts';
import { invalidField, invariant } from '../../platform/errors.ts';
import { db } from '../tables.ts';
import { AffiliateProfile } from './affiliate-profile.entity.ts';
import { encryptPayoutInfo, type PayoutInput, parsePayoutDetails, payoutDigestsOf } from './payout-details.steps.ts';

export interface PersonInput {
  email: string;
  /** Name for a new profile. Default: unknown. */
  name?: string | undefined;
  payout?: PayoutInput | undefined;
}

/**
 * Finds or creates the profile of an email address (compared in lower case) and locks it until the transaction ends.
 * An existing profile stays unchanged, except that missing payout details are added.
 */
export const findOrCreateProfile = async (ctx: Context, input: PersonInput): Promise<AffiliateProfile> => {
  const email = parseEmail(input.email)?.toLowerCase();
  if (email === undefined) throw invalidField('email', 'must be an email address');
  const details = parsePayoutDetails(input.payout ?? {});
  const now = ctx.clock.now();
  const profile = await ctx.em.findOneOrFail(AffiliateProfile, { id: await lockProfile(ctx, email, input.name ?? null) });
  if (details && !profile.payoutDetails) {
    const ciphertext = encryptPayoutInfo(ctx, { table: 'affiliate_profile', id: profile.id }, details);
    profile.setPayoutDetails(details.payoutMethod, { ciphertext, digests: payoutDigestsOf(ctx.cipher, details) }, now);
  }
  return profile;
};

/**
 * On conflict the update changes nothing, but locks the row. `user_id` is the one id that is shown to several merchants: it is
 * random, because the time in a UUIDv7 would tell each of them since when the person is known.
 */
const lockProfile = async (ctx: Context, email: string, name: string | null): Promise<string> => {
  const now = ctx.clock.now().toISOString();
  const row = await firstRow(
    ctx.em,
    db
      .insertInto('affiliate_profile')
      .values({
        id: ctx.ids.next(),
        userId: sql<string>`coalesce((select id from person where email = ${email}), ${randomUUID()}::uuid)`,
        email,
        name,
        createdAt: now,
        updatedAt: now,
      })
      .onConflict((conflict) =>
        conflict.expression(sql`lower(email)`).doUpdateSet(({ ref }) => ({ email: ref('affiliate_profile.email') })),
      )
      .returning('id'),
  );
  invariant(row, 'an upsert returns the profile');
  return row.id;
};
