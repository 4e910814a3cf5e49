import { ALL_PROGRAMS } from '../../contracts/programs.ts';
import type { Context } from '../../platform/context.ts';
import { execute, sql } from '../../platform/database/sql.ts';
import { db } from '../tables.ts';

/** In place of a program: whoever opted out of it gets no mails about payouts that were completed. */
export const COMPLETED_PAYOUTS = '00000000-0000-0000-0000-000000000001';

/** Whose mails about which program. */
export interface Subscription {
  recipientDigest: string;
  programId: string;
}

/** Nothing more is written. The second call changes nothing. */
export const optOut = async (ctx: Context, { recipientDigest, programId }: Subscription): Promise<void> => {
  await execute(
    ctx.em,
    db
      .insertInto('mail_opt_out')
      .values({ recipientDigest, programId, createdAt: ctx.clock.now() })
      .onConflict((conflict) => conflict.doNothing()),
  );
};

/** As `optOut`; mails of the program, or of all, that wait to be sent are not sent either. */
export const optOutOfPrograms = async (ctx: Context, of: Subscription): Promise<void> => {
  await optOut(ctx, of);
  await execute(
    ctx.em,
    db
      .updateTable('mail')
      .set({ status: 'given_up', recipient: null, payload: null, updatedAt: ctx.clock.now() })
      .where('recipientDigest', '=', of.recipientDigest)
      .where('programId', 'is not', null)
      .$if(of.programId !== ALL_PROGRAMS, (query) => query.where('programId', '=', of.programId))
      .where('status', '=', sql.lit('queued' as const)),
  );
};

export const optIn = async (ctx: Context, { recipientDigest, programId }: Subscription): Promise<void> => {
  const optedOut = db.deleteFrom('mail_opt_out').where('recipientDigest', '=', recipientDigest);
  await execute(ctx.em, optedOut.where('programId', '=', programId));
};

/** Whether a mail of the program may be written to the recipient. */
export const isSubscribed = ({ recipientDigest, programId }: Subscription) =>
  sql<boolean>`not exists (select from mail_opt_out where recipient_digest = ${recipientDigest}
    and program_id in (${programId}::uuid, ${ALL_PROGRAMS}::uuid))`;

/** Whether the recipient did not opt out of it, whatever else they opted out of. */
export const isWanted = ({ recipientDigest, programId }: Subscription) =>
  sql<boolean>`not exists (select from mail_opt_out where recipient_digest = ${recipientDigest} and program_id = ${programId}::uuid)`;
