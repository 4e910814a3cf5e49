import { ALL_PROGRAMS } from '../../../contracts/programs.ts';
import { type Context, inTransaction, profileOf } from '../../../platform/context.ts';
import { execute, rows } from '../../../platform/database/sql.ts';
import { anyOf } from '../../../platform/database/table.ts';
import { invalidField } from '../../../platform/errors.ts';
import { db } from '../../tables.ts';
import { findOwnDigest, getMyNotifications } from '../my-notifications.queries.ts';
import type { MyNotificationsView, NotificationChanges } from '../my-notifications.wire.ts';
import { COMPLETED_PAYOUTS, optIn, optOut, optOutOfPrograms } from '../opt-outs.steps.ts';

/** What the caller is written to about, in all programs. What is left out stays as it is. */
export const updateMyNotifications = (
  ctx: Context,
  { completedPayouts, programNews, mutedPrograms }: NotificationChanges,
): Promise<MyNotificationsView> =>
  inTransaction(ctx, async (ctx) => {
    const recipientDigest = await findOwnDigest(ctx);
    const payouts = { recipientDigest, programId: COMPLETED_PAYOUTS };
    const all = { recipientDigest, programId: ALL_PROGRAMS };
    if (completedPayouts !== undefined) await (completedPayouts ? optIn(ctx, payouts) : optOut(ctx, payouts));
    if (programNews !== undefined) await (programNews ? optIn(ctx, all) : optOutOfPrograms(ctx, all));
    if (mutedPrograms) await mutePrograms(ctx, recipientDigest, [...new Set(mutedPrograms)]);
    return getMyNotifications(ctx);
  });

/** These of the joined programs, and no others of them. */
const mutePrograms = async (ctx: Context, recipientDigest: string, muted: readonly string[]): Promise<void> => {
  const joined = db.selectFrom('affiliate').select('programId').where('profileId', '=', profileOf(ctx));
  const own = await rows(ctx.em, joined.where('programId', '=', anyOf(muted)));
  if (own.length < muted.length) throw invalidField('mutedPrograms', 'must be programs that the caller has joined');
  await execute(
    ctx.em,
    db
      .deleteFrom('mail_opt_out')
      .where('recipientDigest', '=', recipientDigest)
      .where('programId', 'in', joined)
      .where(({ eb, not }) => not(eb('programId', '=', anyOf(muted)))),
  );
  for (const programId of muted) await optOutOfPrograms(ctx, { recipientDigest, programId });
};
