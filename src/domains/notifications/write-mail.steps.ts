import type { MailKind } from '../../contracts/mail.ts';
import { HOUR_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { execute, firstRow, isoOf, sql } from '../../platform/database/sql.ts';
import { enqueueEach } from '../../platform/outbox/outbox.ts';

import { type MailContent, withUrls } from './mail-content.rules.ts';
import { type COMPLETED_PAYOUTS, isSubscribed, isWanted, type MAILS_OF_STRANGERS } from './opt-outs.steps.ts';

import { mailboxDigest, recipientDigest } from './recipient-digest.steps.ts';

interface MailBound {
  count: number;
  since: Date;
}

interface NewMail {
  kind: MailKind;
  /** What it is about. */
  subjectId: string;
  /** Null: no merchant is concerned. */
  merchantId: string | null;
  /**
   * Nothing is written to whoever unsubscribed from its mails, and all addresses of a mailbox are one recipient. Left out: the mail
   * cannot be switched off.
   */
  programId?: string;
  /** Beside a program, or in place of one: nothing is written to mailboxes that opted out of it. */
  topic?: typeof COMPLETED_PAYOUTS | typeof MAILS_OF_STRANGERS;
  /** All addresses of a mailbox are one recipient: whoever may enter an address has only so many mails sent to its mailbox. */
  isOfMailbox?: boolean;
  recipient: string;
  /** Tells apart mails of one kind about one subject. */
  period?: string;
  content: MailContent;
  /** Writes nothing once the recipient has so many mails of the kind. Writers at the same time may exceed it by one each. */
  atMost?: MailBound;
}

/** What an erasure leaves in place of an address: no mail server accepts it. */
const ERASED = /@erased\.invalid$/;

/** The payload of the outbox row that starts the workflow. Columns of `mail`. */
const MAIL_START = {
  mailId: sql`id`,
  kind: sql`kind`,
  merchantId: sql`merchant_id`,
  subjectId: sql`subject_id`,
  queuedAt: isoOf(sql`queued_at`),
};

interface MailsOfKind {
  kind: MailKind;
  digest: string;
}

const isBelow = ({ kind, digest }: MailsOfKind, { count, since }: MailBound) =>
  sql<boolean>`(select count(*) from (select from mail where recipient_digest = ${digest}
    and kind = ${kind} and created_at >= ${since.toISOString()} limit ${count}) as found) < ${count}`;

/** Whether the recipient has as many mails of the kind as the bound allows. */
const hasReached = async (ctx: Context, mails: MailsOfKind, bound: MailBound): Promise<boolean> =>
  !(await firstRow(ctx.em, sql<{ isBelow: boolean }>`select ${isBelow(mails, bound)} as "isBelow"`))?.isBelow;

const messageIdOf = ({ settings }: Context, id: string): string => `<${id}@${new URL(settings.publicUrl).hostname}>`;

/**
 * Writes the mail and the start of its workflow in the caller's transaction: one statement. The second call for the same
 * kind, subject, recipient and period writes nothing, nor does one to a person who was erased or unsubscribed, to an address that
 * does not exist, or beyond `atMost`. A template, as the message is made from the row.
 */
export const writeMail = async (
  ctx: Context,
  { period = '', programId, isOfMailbox = programId !== undefined, topic, content, atMost, ...mail }: NewMail,
): Promise<boolean> => {
  if (ERASED.test(mail.recipient)) return false;
  const id = ctx.ids.next();
  const at = ctx.clock.now().toISOString();
  const recipient = ctx.cipher.encrypt(mail.recipient, { table: 'mail', column: 'recipient', row: id });
  const payload = ctx.cipher.encrypt(JSON.stringify(withUrls(content, ctx.settings.publicUrl)), {
    table: 'mail',
    column: 'payload',
    row: id,
  });
  const address = recipientDigest(ctx, mail.recipient);
  const mailbox = mailboxDigest(ctx, mail.recipient);
  const digest = isOfMailbox ? mailbox : address;
  const written = await execute(
    ctx.em,
    sql`with written as (
        insert into mail (id, kind, subject_id, merchant_id, program_id, recipient, recipient_digest, period, payload, message_id, status,
          created_at, queued_at, updated_at)
        select ${id}::uuid, ${mail.kind}, ${mail.subjectId}::uuid, ${mail.merchantId}::uuid, ${programId ?? null}::uuid, ${recipient},
          ${digest}, ${period}, ${payload}, ${messageIdOf(ctx, id)},
          'queued', ${at}::timestamptz, ${at}::timestamptz, ${at}::timestamptz
        where not exists (select from mail_suppression where recipient_digest = ${address})
          and ${programId === undefined ? sql`true` : isSubscribed({ recipientDigest: digest, programId })}
          and ${topic === undefined ? sql`true` : isWanted({ recipientDigest: mailbox, programId: topic })}
          and ${atMost === undefined ? sql`true` : isBelow({ kind: mail.kind, digest }, atMost)}
        on conflict (kind, subject_id, recipient_digest, period) do nothing
        returning id, kind, merchant_id, subject_id, queued_at)
      ${enqueueEach({ topic: 'mail.send', suffix: '', subjectId: sql`id`, payload: MAIL_START, from: sql`written` })}`,
  );
  return written > 0;
};

/** Mails of one kind to one recipient in an hour. One more says that there are others. */
const MAX_PER_HOUR = 20;

export const startOfHour = (time: Date): Date => new Date(Math.floor(time.getTime() / HOUR_MS) * HOUR_MS);

/** Writes the mail or, beyond the bound, `others` once for all that follow within the hour. */
export const writeBoundedMail = async (
  ctx: Context,
  mail: Omit<NewMail, 'atMost' | 'programId'>,
  others: Pick<NewMail, 'subjectId' | 'merchantId' | 'content'>,
): Promise<void> => {
  const bound = { count: MAX_PER_HOUR, since: startOfHour(ctx.clock.now()) };
  if (await writeMail(ctx, { ...mail, atMost: bound })) return;
  // It was written before, or the bound is reached.
  const { kind, recipient, topic } = mail;
  if (await hasReached(ctx, { kind, digest: recipientDigest(ctx, recipient) }, bound)) {
    const about = topic === undefined ? {} : { topic };
    await writeMail(ctx, { ...others, ...about, kind, recipient, period: bound.since.toISOString() });
  }
};
