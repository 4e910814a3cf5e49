import { DateTime } from 'luxon';
import type { Context } from '../../platform/context.ts';
import { firstRow } from '../../platform/database/sql.ts';
import { db } from '../tables.ts';

/** Today in the time zone of a merchant, as `2026-12-31`. */
export const localDay = async (ctx: Context, merchantId: string): Promise<string> => {
  const merchant = db.selectFrom('merchant').select('timezone').where('id', '=', merchantId);
  const zone = (await firstRow(ctx.em, merchant))?.timezone ?? 'utc';
  return DateTime.fromJSDate(ctx.clock.now(), { zone }).toFormat('yyyy-MM-dd');
};
