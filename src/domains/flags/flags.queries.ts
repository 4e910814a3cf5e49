import type { FlagStatus, FlagType } from '../../contracts/flags.ts';
import { type Context, merchantOf } from '../../platform/context.ts';
import type { Given } from '../../platform/database/compiled.ts';
import { firstRow, rows, sql } from '../../platform/database/sql.ts';
import { notFound } from '../../platform/errors.ts';
import { list } from '../../platform/http/lists.ts';
import type { Page } from '../../platform/http/operation.ts';
import type { PageQuery } from '../../platform/http/pages.ts';
import { readOwned } from '../../platform/ownership.ts';
import { countedByStatus, countedTotal } from '../merchants/index.ts';
import { db, type Tables } from '../tables.ts';
import { type FlagDetailView, type FlagRecord, type FlagStats, type FlagView, toFlag, toFlagRecord } from './flags.wire.ts';

const FLAG = [
  'id',
  'affiliateId',
  'programId',
  'type',
  'status',
  'details',
  'note',
  'conversionCount',
  'dueAt',
  'deadlineAction',
  'holdEndedAt',
  'createdAt',
  'resolvedAt',
] as const satisfies readonly (keyof Tables['flag'])[];

interface FlagFilter {
  merchantId: string;
  status?: FlagStatus | undefined;
  type?: FlagType | undefined;
  affiliateId?: string | undefined;
  programId?: string | undefined;
}

const flags = list({
  name: 'flags',
  query: ({ merchantId, programId, affiliateId, status, type }: Given<FlagFilter>) => {
    let query = db.selectFrom('flag').select(FLAG).where('merchantId', '=', merchantId);
    if (programId) query = query.where('programId', '=', programId);
    if (affiliateId) query = query.where('affiliateId', '=', affiliateId);
    if (status) query = query.where('status', '=', status);
    return type ? query.where('type', '=', type) : query;
  },
  total: ({ merchantId, programId, affiliateId, status, type }) =>
    (affiliateId ?? type) === undefined
      ? countedTotal('flag', merchantId, { programId, statuses: status && sql`array[${status}]` })
      : undefined,
  toItem: toFlagRecord,
});

/** Newest first. */
export const listFlags = (
  ctx: Context,
  { status, type, affiliateId, programId, ...page }: PageQuery & Omit<FlagFilter, 'merchantId'>,
): Promise<Page<FlagRecord>> => flags(ctx, page, { merchantId: merchantOf(ctx), programId, affiliateId, status, type });

/** All zero for a program of another merchant. */
export const getFlagStats = async (ctx: Context, filter: { programId?: string | undefined }): Promise<FlagStats> => {
  const counted = await rows(ctx.em, countedByStatus('flag', merchantOf(ctx), filter));
  const stats = { open: 0, reviewed: 0, dismissed: 0, confirmed: 0, total: 0 };
  for (const { status, total } of counted) {
    stats[status as FlagStatus] = total;
    stats.total += total;
  }
  return stats;
};

/** What never changes about a flag. */
export interface FlagOwner {
  id: string;
  merchantId: string;
  affiliateId: string;
}

export const getFlagOwner = async (ctx: Context, id: string): Promise<FlagOwner> =>
  readOwned(
    ctx,
    'Flag',
    await firstRow(ctx.em, db.selectFrom('flag').select(['id', 'merchantId', 'affiliateId']).where('id', '=', id)),
  );

/** As the API shows it. */
export const getFlag = async (ctx: Context, id: string): Promise<FlagView> => {
  const row = await firstRow(ctx.em, db.selectFrom('flag').select(FLAG).where('id', '=', id));
  if (!row) throw notFound('Flag');
  return toFlag(row);
};

/** With a page of its conversions, newest first. Ids are in the order of creation. */
export const getFlagDetail = async (
  ctx: Context,
  { id, after, limit }: { id: string; after?: string | undefined; limit: number },
): Promise<FlagDetailView> => {
  const flag = await firstRow(ctx.em, db.selectFrom('flag').select(FLAG).select('merchantId').where('id', '=', id));
  const view = toFlagRecord(readOwned(ctx, 'Flag', flag));
  let query = db.selectFrom('flag_conversion').select('conversionId').where('flagId', '=', id);
  if (after !== undefined) query = query.where('conversionId', '<', after);
  const found = await rows(ctx.em, query.orderBy('conversionId', 'desc').limit(limit + 1));
  const conversionIds = found.slice(0, limit).map(({ conversionId }) => conversionId);
  return { ...view, conversionIds, nextConversionId: found.length > limit ? (conversionIds.at(-1) ?? null) : null };
};

/** The first of the conversions that is missing or not the affiliate's own; null when all are. */
export const findForeignConversion = (
  ctx: Context,
  affiliateId: string,
  conversionIds: readonly string[],
): Promise<{ id: string; merchantId: string | null } | null> =>
  firstRow(
    ctx.em,
    db
      .selectFrom(sql<{ id: string }>`unnest(${conversionIds}::uuid[])`.as<'named'>(sql`named (id)`))
      .leftJoin('conversion as c', 'c.id', 'named.id')
      .select(['named.id', 'c.merchantId'])
      .where('c.affiliateId', 'is distinct from', affiliateId)
      .orderBy('c.merchantId', (order) => order.asc().nullsFirst())
      .orderBy('named.id')
      .limit(1),
  );
