import { z } from 'zod';
import type { Context } from '../../../platform/context.ts';
import { firstRow, sql } from '../../../platform/database/sql.ts';
import { invalidField, invariant } from '../../../platform/errors.ts';
import { AffiliateProfile } from '../affiliate-profile.entity.ts';
import { type PayoutInput, payoutDetailsContext, payoutDetailsOf } from '../payout-details.ts';

export interface PersonInput {
  email: string;
  name: string;
  payout?: PayoutInput | undefined;
}

/**
 * One profile per lower-case e-mail, locked until the transaction ends. Of a profile that exists nothing is changed,
 * except that payout details are filled in where there are none: they are the person's own.
 */
export const findOrCreateProfile = async (ctx: Context, input: PersonInput): Promise<AffiliateProfile> => {
  const email = z.email().max(254).safeParse(input.email.trim().toLowerCase());
  if (!email.success) throw invalidField('email', 'must be an e-mail address');
  const details = payoutDetailsOf(input.payout ?? {});
  const now = ctx.clock.now();
  const profile = await ctx.em.findOneOrFail(AffiliateProfile, { id: await lockedProfileId(ctx, email.data, input.name) });
  if (details && !profile.payoutDetails) {
    profile.bePaidBy(details.method, ctx.cipher.encrypt(JSON.stringify(details), payoutDetailsContext(profile.id)), now);
  }
  return profile;
};

/** The update changes nothing and takes the row's lock. */
const lockedProfileId = async (ctx: Context, email: string, name: string): Promise<string> => {
  const now = ctx.clock.now().toISOString();
  const row = await firstRow(
    ctx.em,
    sql<{ id: string }>`
      insert into affiliate_profile (id, user_id, email, name, created_at, updated_at)
      values (${ctx.ids.next()}::uuid, ${ctx.ids.next()}::uuid, ${email}, ${name}, ${now}::timestamptz, ${now}::timestamptz)
      on conflict (lower(email)) do update set email = affiliate_profile.email
      returning id`,
  );
  invariant(row, 'a profile was found or made');
  return row.id;
};
