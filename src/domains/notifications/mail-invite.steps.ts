import { portalUrlOf } from '../../contracts/portals.ts';
import { after, DAY_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { firstRow } from '../../platform/database/sql.ts';
import { conflict } from '../../platform/errors.ts';
import { db } from '../tables.ts';
import { programInviteMail } from './mails/invite-mails.ts';
import { MAILS_OF_STRANGERS } from './opt-outs.steps.ts';
import { mailboxDigest } from './recipient-digest.steps.ts';
import { findMailAllowance } from './subscriptions.steps.ts';
import { writeMail } from './write-mail.steps.ts';

/** Invites of all merchants to one mailbox in a day. */
const MAX_PER_MAILBOX = 5;
const REMINDER = 'reminder';

const findInviteFacts = (ctx: Context, inviteId: string) =>
  firstRow(
    ctx.em,
    db
      .selectFrom('invite as i')
      .innerJoin('program as p', 'p.id', 'i.programId')
      .innerJoin('merchant as m', 'm.id', 'i.merchantId')
      .leftJoin('program_portal as o', 'o.programId', 'p.id')
      .select(['o.host', 'o.hostVerifiedAt'])
      .select(['i.token', 'i.email', 'i.expiresAt', 'p.name as programName', 'm.companyName'])
      .where('i.id', '=', inviteId),
  );

/** Counts a mail to the mailbox, the second one as a reminder. Null: it has had both, or the first within the last day. */
const countInvitation = (ctx: Context, { programId, recipient }: { programId: string; recipient: string }) => {
  const now = ctx.clock.now();
  return firstRow(
    ctx.em,
    db
      .insertInto('mail_invitation')
      .values({ recipientDigest: mailboxDigest(ctx, recipient), programId, invitedAt: now, remindedAt: null })
      .onConflict((conflict) =>
        conflict
          .columns(['recipientDigest', 'programId'])
          .doUpdateSet({ remindedAt: now })
          .where('mail_invitation.remindedAt', 'is', null)
          .where('mail_invitation.invitedAt', '<=', after(now, -DAY_MS).toISOString()),
      )
      .returning('remindedAt'),
  );
};

/**
 * Writes to the address of an invite: to a mailbox once for a program, and one reminder from the day after. MAIL_LIMIT while the mails of the
 * merchant or of the installation are used up, ALREADY_INVITED when nothing more is written to the address.
 */
export const mailInvite = async (
  ctx: Context,
  { inviteId, programId, merchantId }: { inviteId: string; programId: string; merchantId: string },
): Promise<void> => {
  const facts = await findInviteFacts(ctx, inviteId);
  if (!facts?.email) return;
  if ((await findMailAllowance(ctx, merchantId)) === 0)
    throw conflict('MAIL_LIMIT', 'The invites and announcements of 24 hours are used up');
  const { email: recipient, token, expiresAt, host, hostVerifiedAt, ...names } = facts;
  const counted = await countInvitation(ctx, { programId, recipient });
  const isReminder = counted !== null && counted.remindedAt !== null;
  const url = `${portalUrlOf(ctx.settings.publicUrl, { host, hostVerifiedAt })}/i/${token}`;
  const content = programInviteMail({ ...names, url, expiresAt: new Date(expiresAt) }, isReminder);
  const mail = { kind: 'program_invite', subjectId: programId, merchantId, programId, recipient, content } as const;
  const atMost = { count: MAX_PER_MAILBOX, since: after(ctx.clock.now(), -DAY_MS) };
  const period = isReminder ? REMINDER : '';
  if (counted === null || !(await writeMail(ctx, { ...mail, topic: MAILS_OF_STRANGERS, atMost, period })))
    throw conflict(
      'ALREADY_INVITED',
      'An address gets one invite to a program by mail and one reminder from the day after, unless it unsubscribed',
    );
};
