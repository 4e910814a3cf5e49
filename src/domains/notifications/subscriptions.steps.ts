import { z } from 'zod';
import { ALL_PROGRAMS } from '../../contracts/programs.ts';
import { recordInstallationChange } from '../../platform/audit-log/record-change.ts';
import { after, DAY_MS } from '../../platform/clock.ts';
import { type Context, inTransaction } from '../../platform/context.ts';
import { readToken, signToken } from '../../platform/crypto/signed-token.ts';
import { lockName } from '../../platform/database/lock-name.ts';
import { execute, firstRow } from '../../platform/database/sql.ts';
import { db } from '../tables.ts';
import { plain } from './mail-content.rules.ts';
import {
  hasOptedOut,
  MAILS_OF_STRANGERS,
  optIn,
  optOutOfPrograms,
  optOutOfStrangers,
  type Subscription,
} from './opt-outs.steps.ts';
import { mailboxDigest, recipientDigest } from './recipient-digest.steps.ts';

declare module '../../platform/context.ts' {
  interface Settings {
    /** Mails that can be unsubscribed from, in any 24 hours. */
    mailsPerDay: { ofInstallation: number; ofMerchant: number };
  }
}

const PURPOSE = 'mail unsubscribe';

const tokenSchema = z.tuple([z.hex().length(64), z.union([z.uuid(), z.literal(MAILS_OF_STRANGERS)])]);

/** Where the recipient ends a subscription: by a page, or by one request of their mail program (RFC 8058). */
export const unsubscribeUrlOf = ({ cipher, settings }: Context, { recipientDigest, programId }: Subscription): string =>
  `${settings.publicUrl}/unsubscribe/${signToken(cipher, PURPOSE, JSON.stringify([recipientDigest, programId]))}`;

const readSubscription = (ctx: Context, token: string): Subscription | null => {
  const text = readToken(ctx.cipher, PURPOSE, token);
  if (text === null) return null;
  const [recipientDigest, programId] = tokenSchema.parse(JSON.parse(text));
  return { recipientDigest, programId };
};

/** What the token of a URL is about: the mails of a program, by its name as mails show it, or those that anybody can cause. */
export type SubscribedTo = { kind: 'program'; name: string } | { kind: 'strangers'; isEnded: boolean };

/** Null for a token that was not issued. */
export const findSubscription = async (ctx: Context, token: string): Promise<SubscribedTo | null> => {
  const subscription = readSubscription(ctx, token);
  if (!subscription) return null;
  if (subscription.programId === MAILS_OF_STRANGERS) return { kind: 'strangers', isEnded: await hasOptedOut(ctx, subscription) };
  const program = await firstRow(ctx.em, db.selectFrom('program').select('name').where('id', '=', subscription.programId));
  return program && { kind: 'program', name: plain(program.name) };
};

/**
 * Ends the mails about the resources of one program, or of all, or those that anybody can cause: also those that wait to be sent. False for
 * a token that was not issued. The second call changes nothing.
 */
export const unsubscribe = (ctx: Context, { token, all }: { token: string; all: boolean }): Promise<boolean> =>
  inTransaction(ctx, async (ctx) => {
    const subscription = readSubscription(ctx, token);
    if (!subscription) return false;
    if (subscription.programId === MAILS_OF_STRANGERS) await optOutOfStrangers(ctx, subscription.recipientDigest);
    else await optOutOfPrograms(ctx, all ? { ...subscription, programId: ALL_PROGRAMS } : subscription);
    return true;
  });

/** Lets anybody cause mails to the mailbox again. False for a token of other mails. */
export const allowStrangers = async (ctx: Context, { token }: { token: string }): Promise<boolean> => {
  const subscription = readSubscription(ctx, token);
  if (subscription?.programId !== MAILS_OF_STRANGERS) return false;
  await optIn(ctx, subscription);
  return true;
};

/** Lets mails be written again to an address that was refused as unknown, or whose owner wanted none of strangers. False when neither was so. */
export const liftMailSuppression = (ctx: Context, { address }: { address: string }): Promise<boolean> =>
  inTransaction(ctx, async (ctx) => {
    const suppressed = db.deleteFrom('mail_suppression').where('recipientDigest', '=', recipientDigest(ctx, address));
    const unwanted = { recipientDigest: mailboxDigest(ctx, address), programId: MAILS_OF_STRANGERS };
    const lifted = (await execute(ctx.em, suppressed)) + (await optIn(ctx, unwanted));
    if (lifted === 0) return false;
    await recordInstallationChange(ctx, { action: 'installation.mail_address_allowed', hidden: ['address'] });
    return true;
  });

const countSince = (since: string, merchantId: string | null, limit: number) =>
  db
    .selectFrom(
      db
        .selectFrom('mail')
        .select('id')
        .where('programId', 'is not', null)
        .where('createdAt', '>', since)
        .$if(merchantId !== null, (query) => query.where('merchantId', '=', merchantId))
        .limit(limit)
        .as('found'),
    )
    .select(({ fn }) => fn.countAll<number>().as('count'));

/**
 * How many more mails that can be unsubscribed from a merchant may cause within the limits of 24 hours. Serializes its callers until
 * their transactions end.
 */
export const findMailAllowance = async (ctx: Context, merchantId: string): Promise<number> => {
  await lockName(ctx, 'mail allowance');
  const { ofInstallation, ofMerchant } = ctx.settings.mailsPerDay;
  const since = after(ctx.clock.now(), -DAY_MS).toISOString();
  const own = await firstRow(ctx.em, countSince(since, merchantId, ofMerchant));
  const all = await firstRow(ctx.em, countSince(since, null, ofInstallation));
  return Math.max(0, Math.min(ofMerchant - (own?.count ?? 0), ofInstallation - (all?.count ?? 0)));
};
