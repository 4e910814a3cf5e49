import { MAILS_BY_STRANGERS, type MailByStranger } from '../../contracts/mail.ts';
import { after, DAY_MS, HOUR_MS, SECOND_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { lockName } from '../../platform/database/lock-name.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import { AppError, conflict } from '../../platform/errors.ts';
import { db } from '../tables.ts';

declare module '../../platform/context.ts' {
  interface Settings {
    /** Mails about joining, signing up and invites of people, in any 24 hours. Without a merchant: those of signing up. */
    joinMailsPerDay: { ofInstallation: number; ofMerchant: number };
  }
}

/** Share of each limit that strangers who enter an address may use up; the rest stays for people whom an owner invites. */
const SHARE_OF_STRANGERS = 0.8;

const KINDS = sql.join(MAILS_BY_STRANGERS.map((kind) => sql.lit(kind)));

const countSince = (since: string, limit: number) =>
  db.selectFrom('mail').select('id').where(sql<boolean>`kind in (${KINDS})`).where('createdAt', '>', since).limit(limit);

const countMails = async (ctx: Context, found: ReturnType<typeof countSince>): Promise<number> =>
  (
    await firstRow(
      ctx.em,
      db.selectFrom(found.as('found')).select(({ fn }) => fn.countAll<number>().as('count')),
    )
  )?.count ?? 0;

/**
 * Whether one more mail of the kind is within the limits of 24 hours, which are apart from those of invites to programs and announcements.
 * Serializes its callers until their transactions end.
 */
const isMailLeft = async (ctx: Context, { kind, merchantId }: { kind: MailByStranger; merchantId: string | null }) => {
  await lockName(ctx, 'join mail allowance');
  const { ofInstallation, ofMerchant } = ctx.settings.joinMailsPerDay;
  const share = kind === 'person_invited' ? 1 : SHARE_OF_STRANGERS;
  const most = (limit: number): number => Math.max(1, Math.floor(limit * share));
  const since = after(ctx.clock.now(), -DAY_MS).toISOString();
  const own = countSince(since, ofMerchant).$if(merchantId !== null, (query) => query.where('merchantId', '=', merchantId));
  const ofOwn = await countMails(ctx, merchantId === null ? own.where('merchantId', 'is', null) : own);
  return ofOwn < most(ofMerchant) && (await countMails(ctx, countSince(since, ofInstallation))) < most(ofInstallation);
};

/** MAIL_LIMIT once the mails of the day are used up. */
export const assertInviteMailLeft = async (ctx: Context, merchantId: string): Promise<void> => {
  if (!(await isMailLeft(ctx, { kind: 'person_invited', merchantId })))
    throw conflict('MAIL_LIMIT', 'The mails to people who join or are invited are used up for today');
};

/** RATE_LIMITED as above, whatever address was entered. */
export const assertJoinMailLeft = async (
  ctx: Context,
  of: { kind: Exclude<MailByStranger, 'person_invited'>; merchantId: string | null },
): Promise<void> => {
  if (!(await isMailLeft(ctx, of)))
    throw new AppError('RATE_LIMITED', 'Too many people asked for this today. Try again later', {
      retryAfter: HOUR_MS / SECOND_MS,
    });
};
