import { NOTIFICATION_DEFAULTS, type NotificationPreferences } from '../../contracts/notifications.ts';
import type { Context } from '../../platform/context.ts';
import { rows, sql } from '../../platform/database/sql.ts';
import { anyOf } from '../../platform/database/table.ts';
import { FIRST_ID } from '../../platform/ids.ts';
import { db } from '../tables.ts';

export interface DigestMerchant {
  id: string;
  email: string;
  companyName: string;
  timeZone: string;
  preferences: NotificationPreferences;
}

const merchants = ({ after, limit }: { after: string | null; limit: number }) =>
  db
    .selectFrom('merchant')
    .select(['id', 'email', 'companyName', 'timezone as timeZone', 'notificationPreferences'])
    .where('id', '>', after ?? FIRST_ID)
    .orderBy('id')
    .limit(limit);

const read = async (ctx: Context, query: ReturnType<typeof merchants>): Promise<DigestMerchant[]> =>
  (await rows(ctx.em, query)).map(({ notificationPreferences, ...merchant }) => ({
    ...merchant,
    preferences: notificationPreferences ?? { ...NOTIFICATION_DEFAULTS },
  }));

/** Merchants after an id, in the order of ids. */
export const listMerchants = (ctx: Context, page: { after: string | null; limit: number }): Promise<DigestMerchant[]> =>
  read(ctx, merchants(page));

/** Those who want a weekly digest. */
export const listDigestMerchants = (ctx: Context, page: { after: string | null; limit: number }): Promise<DigestMerchant[]> =>
  read(ctx, merchants(page).where(sql<boolean>`(notification_preferences ->> 'weeklyDigest') = 'true'`));

/** With payouts that wait for a person. */
export const listWaitingMerchants = async (
  ctx: Context,
  { after, limit }: { after: string | null; limit: number },
): Promise<Omit<DigestMerchant, 'preferences'>[]> => {
  const waiting = db
    .selectFrom('payout')
    .select('merchantId')
    .distinct()
    .where('needsAttention', '=', sql.lit(true))
    .where('merchantId', '>', after ?? FIRST_ID)
    .orderBy('merchantId')
    .limit(limit);
  return rows(
    ctx.em,
    db
      .selectFrom(waiting.as('w'))
      .innerJoin('merchant as m', 'm.id', 'w.merchantId')
      .select(['m.id', 'm.email', 'm.companyName', 'm.timezone as timeZone'])
      .orderBy('m.id'),
  );
};

/** The periods of which each merchant has the mail, as `<merchant> <period>`. */
export const findWrittenDigests = async (
  ctx: Context,
  kind: 'weekly_digest' | 'payouts_waiting',
  merchantIds: readonly string[],
): Promise<Set<string>> => {
  const found = await rows(
    ctx.em,
    db.selectFrom('mail').select(['subjectId', 'period']).where('kind', '=', kind).where('subjectId', '=', anyOf(merchantIds)),
  );
  return new Set(found.map(({ subjectId, period }) => `${subjectId} ${period}`));
};
