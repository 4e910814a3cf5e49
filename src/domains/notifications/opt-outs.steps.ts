import { MAILS_BY_STRANGERS } from '../../contracts/mail.ts';
import { ALL_PROGRAMS } from '../../contracts/programs.ts';
import type { Context } from '../../platform/context.ts';
import { execute, firstRow, sql } from '../../platform/database/sql.ts';
import { db } from '../tables.ts';

/** In place of a program: whoever opted out of it gets no mails about payouts that were completed. */
export const COMPLETED_PAYOUTS = '00000000-0000-0000-0000-000000000001';

/** In place of a program, as above: no mails that somebody causes by entering the address, such as invites. */
export const MAILS_OF_STRANGERS = '00000000-0000-0000-0000-000000000002';

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

/** As `optOut`, of mails that somebody causes by entering the address. */
export const optOutOfStrangers = async (ctx: Context, recipientDigest: string): Promise<void> => {
  await optOut(ctx, { recipientDigest, programId: MAILS_OF_STRANGERS });
  await execute(
    ctx.em,
    db
      .updateTable('mail')
      .set({ status: 'given_up', recipient: null, payload: null, updatedAt: ctx.clock.now() })
      .where('recipientDigest', '=', recipientDigest)
      .where('kind', 'in', [...MAILS_BY_STRANGERS, 'program_invite'])
      .where('status', '=', sql.lit('queued' as const)),
  );
};

/** How many opt-outs ended: one or none. */
export const optIn = (ctx: Context, { recipientDigest, programId }: Subscription): Promise<number> => {
  const optedOut = db.deleteFrom('mail_opt_out').where('recipientDigest', '=', recipientDigest);
  return execute(ctx.em, optedOut.where('programId', '=', programId));
};

export const hasOptedOut = async (ctx: Context, { recipientDigest, programId }: Subscription): Promise<boolean> => {
  const optedOut = db.selectFrom('mail_opt_out').select('programId').where('recipientDigest', '=', recipientDigest);
  return (await firstRow(ctx.em, optedOut.where('programId', '=', programId))) !== null;
};

/** Whether a mail of the program may be written to the recipient. */
export const isSubscribed = ({ recipientDigest, programId }: Subscription) =>
  sql<boolean>`not exists (select from mail_opt_out where recipient_digest = ${recipientDigest}
    and program_id in (${programId}::uuid, ${ALL_PROGRAMS}::uuid))`;

/** Whether the recipient did not opt out of it, whatever else they opted out of. */
export const isWanted = ({ recipientDigest, programId }: Subscription) =>
  sql<boolean>`not exists (select from mail_opt_out where recipient_digest = ${recipientDigest} and program_id = ${programId}::uuid)`;
