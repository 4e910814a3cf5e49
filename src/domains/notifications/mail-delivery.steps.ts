import { isFinalMailError, isMailByStranger, type MailError, type MailKind, type MailSnapshot } from '../../contracts/mail.ts';
import { type Context, inTransaction } from '../../platform/context.ts';
import { execute, firstRow, toIso } from '../../platform/database/sql.ts';
import { invariant, notFound } from '../../platform/errors.ts';
import type { OutgoingMail } from '../../platform/mail/mailer.ts';
import { db } from '../tables.ts';
import { mailContentSchema } from './mail-content.rules.ts';
import { MAILS_OF_STRANGERS, type Subscription } from './opt-outs.steps.ts';
import { mailboxDigest, recipientDigest } from './recipient-digest.steps.ts';
import { renderMail } from './render-mail.rules.ts';
import { unsubscribeUrlOf } from './subscriptions.steps.ts';

// What the workflow of a mail carries out, one statement each.

export type MailTry =
  | { kind: 'send'; mail: OutgoingMail }
  /** The address or the text cannot be decrypted. */
  | { kind: 'unreadable' }
  | { kind: 'end'; snapshot: MailSnapshot };

interface QueuedMail {
  recipient: string;
  payload: string;
  messageId: string;
  createdAt: string;
  recipientDigest: string;
  programId: string | null;
  kind: MailKind;
  subjectId: string;
}

const SNAPSHOT = ['status', 'tries', 'lastError', 'smtpCode'] as const satisfies readonly (keyof MailSnapshot)[];

const findMailSnapshot = (ctx: Context, id: string): Promise<MailSnapshot | null> =>
  firstRow(ctx.em, db.selectFrom('mail').select(SNAPSHOT).where('id', '=', id));

/** Counts the try before anything is sent. Every try sends the same message under the same Message-ID. */
export const startMailTry = async (ctx: Context, { mailId: id }: { mailId: string }): Promise<MailTry> => {
  const updatedAt = ctx.clock.now().toISOString();
  const queued = await firstRow(
    ctx.em,
    db
      .updateTable('mail')
      .set(({ eb }) => ({ tries: eb('tries', '+', 1), updatedAt }))
      .where('id', '=', id)
      .where('status', '=', 'queued')
      .where('recipient', 'is not', null)
      .where('payload', 'is not', null)
      .returning(['recipient', 'payload', 'messageId', 'createdAt', 'recipientDigest', 'programId', 'kind', 'subjectId'])
      .$narrowType<{ recipient: string; payload: string }>(),
  );
  if (!queued) {
    const snapshot = await findMailSnapshot(ctx, id);
    if (!snapshot) throw notFound('Mail');
    return { kind: 'end', snapshot };
  }
  if (queued.kind === 'sign_in' && !(await isOfSomebody(ctx, queued.subjectId)))
    return { kind: 'end', snapshot: await recordTry(ctx, { mailId: id, failure: null, last: true }) };
  const mail = open(ctx, id, queued);
  return mail ? { kind: 'send', mail } : { kind: 'unreadable' };
};

/** A link to sign in is asked for with any address: whoever asks cannot tell whether somebody has it. */
const isOfSomebody = async (ctx: Context, signInId: string): Promise<boolean> =>
  (await firstRow(
    ctx.em,
    db
      .selectFrom('sign_in')
      .select('id')
      .where('id', '=', signInId)
      .where(({ eb, or }) => or([eb('personId', 'is not', null), eb('profileId', 'is not', null)])),
  )) !== null;

/** Null when it cannot be decrypted or read. The cause is not reported: it may quote the text. */
const open = (ctx: Context, id: string, queued: QueuedMail): OutgoingMail | null => {
  try {
    const to = ctx.cipher.decrypt(queued.recipient, { table: 'mail', column: 'recipient', row: id });
    const payload = ctx.cipher.decrypt(queued.payload, { table: 'mail', column: 'payload', row: id });
    const subscription = subscriptionOf(ctx, to, queued);
    const unsubscribeUrl = subscription && unsubscribeUrlOf(ctx, subscription);
    const label = isMailByStranger(queued.kind) ? 'Never write to me again' : 'Unsubscribe';
    const content = renderMail(
      mailContentSchema.parse(JSON.parse(payload)),
      unsubscribeUrl === null ? null : { url: unsubscribeUrl, label },
    );
    return { id, messageId: queued.messageId, to, createdAt: new Date(toIso(queued.createdAt)), unsubscribeUrl, ...content };
  } catch {
    return null;
  }
};

/** What the recipient can end; null: nothing. */
const subscriptionOf = (ctx: Context, to: string, { kind, recipientDigest, programId }: QueuedMail): Subscription | null => {
  if (isMailByStranger(kind)) return { recipientDigest: mailboxDigest(ctx, to), programId: MAILS_OF_STRANGERS };
  return programId === null ? null : { recipientDigest, programId };
};

export interface FinishMailTryInput {
  mailId: string;
  /** Null: the mail was accepted. */
  failure: { error: MailError; smtpCode: number | null } | null;
  /** No try follows this one. */
  last: boolean;
}

/** Reply codes to RCPT TO with which a mail server says that there is no such mailbox; others concern this try only. */
const BOUNCES: readonly number[] = [550, 551, 553];

/**
 * Records a try. The address and the text of a mail that was sent are removed: only its digest stays. Nothing is written any more to an
 * address that does not exist.
 */
export const finishMailTry = (ctx: Context, input: FinishMailTryInput): Promise<MailSnapshot> =>
  inTransaction(ctx, async (ctx) => {
    const snapshot = await recordTry(ctx, input);
    const { mailId, failure } = input;
    const smtpCode = failure?.error === 'address_refused' ? failure.smtpCode : null;
    if (smtpCode !== null && BOUNCES.includes(smtpCode)) await suppressRecipient(ctx, { mailId, smtpCode });
    return snapshot;
  });

/** The address as it is: another spelling of it may exist. */
const suppressRecipient = async (ctx: Context, { mailId: id, smtpCode }: { mailId: string; smtpCode: number }): Promise<void> => {
  const givenUp = db.selectFrom('mail').select('recipient').where('id', '=', id).where('status', '=', 'given_up');
  const { recipient } = (await firstRow(ctx.em, givenUp)) ?? { recipient: null };
  if (recipient === null) return;
  const address = ctx.cipher.decrypt(recipient, { table: 'mail', column: 'recipient', row: id });
  await execute(
    ctx.em,
    db
      .insertInto('mail_suppression')
      .values({ recipientDigest: recipientDigest(ctx, address), smtpCode, createdAt: ctx.clock.now() })
      .onConflict((conflict) => conflict.doNothing()),
  );
};

const recordTry = async (ctx: Context, { mailId, failure, last }: FinishMailTryInput): Promise<MailSnapshot> => {
  const at = ctx.clock.now().toISOString();
  const isGivenUp = failure !== null && (last || isFinalMailError(failure.error));
  const tried = db.updateTable('mail').where('id', '=', mailId).returning(SNAPSHOT);
  const changed = await firstRow(
    ctx.em,
    failure
      ? tried
          .set({
            status: isGivenUp ? 'given_up' : 'queued',
            lastError: failure.error,
            smtpCode: failure.smtpCode,
            updatedAt: at,
          })
          .where('status', '=', 'queued')
      : tried
          .set({ status: 'sent', sentAt: at, recipient: null, payload: null, lastError: null, smtpCode: null, updatedAt: at })
          .where('status', '<>', 'sent'),
  );
  const snapshot = changed ?? (await findMailSnapshot(ctx, mailId));
  invariant(snapshot, 'mails that are queued are not deleted');
  return snapshot;
};
