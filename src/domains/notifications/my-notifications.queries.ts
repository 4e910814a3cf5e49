import { ALL_PROGRAMS } from '../../contracts/programs.ts';
import { type Context, profileOf } from '../../platform/context.ts';
import { firstRow, rows } from '../../platform/database/sql.ts';
import { invariant } from '../../platform/errors.ts';
import { db } from '../tables.ts';
import type { MyNotificationsView } from './my-notifications.wire.ts';
import { COMPLETED_PAYOUTS } from './opt-outs.steps.ts';
import { mailboxDigest } from './recipient-digest.steps.ts';

/** Digest of the caller's mailbox. */
export const findOwnDigest = async (ctx: Context): Promise<string> => {
  const profile = await firstRow(ctx.em, db.selectFrom('affiliate_profile').select('email').where('id', '=', profileOf(ctx)));
  invariant(profile, 'an affiliate key belongs to a profile');
  return mailboxDigest(ctx, profile.email);
};

/** What the mailbox of the caller gets. Opt-outs of programs that the caller has not joined are left out. */
export const getMyNotifications = async (ctx: Context): Promise<MyNotificationsView> => {
  const joined = db.selectFrom('affiliate').select('programId').where('profileId', '=', profileOf(ctx));
  const found = await rows(
    ctx.em,
    db
      .selectFrom('mail_opt_out')
      .select('programId')
      .where('recipientDigest', '=', await findOwnDigest(ctx))
      .where(({ eb, or }) => or([eb('programId', 'in', [ALL_PROGRAMS, COMPLETED_PAYOUTS]), eb('programId', 'in', joined)]))
      .orderBy('programId'),
  );
  const optedOut = new Set(found.map(({ programId }) => programId));
  return {
    completedPayouts: !optedOut.delete(COMPLETED_PAYOUTS),
    programNews: !optedOut.delete(ALL_PROGRAMS),
    mutedPrograms: [...optedOut],
  };
};
