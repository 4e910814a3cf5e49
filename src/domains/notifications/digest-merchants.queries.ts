import { NOTIFICATION_DEFAULTS, type NotificationPreferences } from '../../contracts/notifications.ts';
import type { Context } from '../../platform/context.ts';
import { type RawBuilder, rows, sql } from '../../platform/database/sql.ts';
import { FIRST_ID } from '../../platform/ids.ts';

export interface DigestMerchant {
  id: string;
  email: string;
  companyName: string;
  timeZone: string;
  preferences: NotificationPreferences;
}

interface Row extends Omit<DigestMerchant, 'preferences'> {
  preferences: NotificationPreferences | null;
}

const page = async (ctx: Context, after: string | null, limit: number, where: RawBuilder<unknown>): Promise<DigestMerchant[]> => {
  const found = await rows(
    ctx.em,
    sql<Row>`select id, email, company_name as "companyName", timezone as "timeZone", notification_preferences as preferences
      from merchant where id > ${after ?? FIRST_ID}::uuid and ${where} order by id limit ${limit}`,
  );
  return found.map((merchant) => ({ ...merchant, preferences: merchant.preferences ?? { ...NOTIFICATION_DEFAULTS } }));
};

/** Merchants after an id, in the order of ids. */
export const listMerchants = (
  ctx: Context,
  { after, limit }: { after: string | null; limit: number },
): Promise<DigestMerchant[]> => page(ctx, after, limit, sql`true`);

/** Those who want a weekly digest. */
export const listDigestMerchants = (
  ctx: Context,
  { after, limit }: { after: string | null; limit: number },
): Promise<DigestMerchant[]> => page(ctx, after, limit, sql`(notification_preferences ->> 'weeklyDigest') = 'true'`);

/** The weeks whose digest each merchant has, as `<merchant> <week>`. */
export const findWrittenDigests = async (ctx: Context, merchantIds: readonly string[]): Promise<Set<string>> => {
  const found = await rows(
    ctx.em,
    sql<{ name: string }>`select subject_id || ' ' || period as name from mail
      where kind = 'weekly_digest' and subject_id = any(${merchantIds}::uuid[])`,
  );
  return new Set(found.map(({ name }) => name));
};
