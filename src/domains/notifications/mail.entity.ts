import { defineEntity, p } from '@mikro-orm/core';
import { MAIL_ERRORS, MAIL_KINDS, MAIL_STATUSES } from '../../contracts/mail.ts';

/** One row for each reason and recipient. Address and text are encrypted, and removed once the mail is sent. */
export const MailSchema = defineEntity({
  name: 'Mail',
  tableName: 'mail',
  properties: {
    id: p.uuid().primary(),
    kind: p.enum(MAIL_KINDS),
    subjectId: p.uuid(),
    merchantId: p.uuid().nullable(),
    /** Whose mails the recipient can unsubscribe from. Null: the mail cannot be switched off. */
    programId: p.uuid().nullable(),
    recipient: p.text().nullable(),
    /** Digest of the address; if `programId` is set, of the mailbox. */
    recipientDigest: p.text(),
    /** Tells apart mails of one kind about one subject. */
    period: p.text(),
    payload: p.text().nullable(),
    /** The same on every try. */
    messageId: p.text(),
    status: p.enum(MAIL_STATUSES),
    tries: p.integer().default(0),
    lastError: p.enum(MAIL_ERRORS).nullable(),
    smtpCode: p.integer().nullable(),
    createdAt: p.datetime(3),
    /** Time since which it is tried: later than `createdAt` after an operator queued it again. */
    queuedAt: p.datetime(3),
    sentAt: p.datetime(3).nullable(),
    updatedAt: p.datetime(3),
  },
});

/** Mailboxes that a program has invited. Kept without end: a second invite would be as unwanted after a year. */
export const MailInvitationSchema = defineEntity({
  name: 'MailInvitation',
  tableName: 'mail_invitation',
  properties: {
    recipientDigest: p.text().primary(),
    programId: p.uuid().primary(),
    invitedAt: p.datetime(3),
    remindedAt: p.datetime(3).nullable(),
  },
});

/** Mailboxes that want no mails of a program, or none about completed payouts. */
export const MailOptOutSchema = defineEntity({
  name: 'MailOptOut',
  tableName: 'mail_opt_out',
  properties: {
    recipientDigest: p.text().primary(),
    /** All zeros: of no program. In place of one: `COMPLETED_PAYOUTS`. */
    programId: p.uuid().primary(),
    createdAt: p.datetime(3),
  },
});

/** Addresses that do not exist, by the word of their mail server: nothing is sent there. */
export const MailSuppressionSchema = defineEntity({
  name: 'MailSuppression',
  tableName: 'mail_suppression',
  properties: {
    recipientDigest: p.text().primary(),
    smtpCode: p.integer(),
    createdAt: p.datetime(3),
  },
});

/** The time up to which mails about activity cover what happened. */
export const MailProgressSchema = defineEntity({
  name: 'MailProgress',
  tableName: 'mail_progress',
  properties: {
    name: p.enum(['activity']).primary(),
    doneUntil: p.datetime(3),
    /** End of the period that begins there, once it has mails: another end would leave out hours for merchants who have theirs. */
    periodEnd: p.datetime(3).nullable(),
  },
});
