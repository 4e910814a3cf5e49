import type { FlagStatus, FlagType } from '../../contracts/flags.ts';
import { type Context, merchantOf } from '../../platform/context.ts';
import { firstRow, rows, sql } from '../../platform/database/sql.ts';
import { notFound } from '../../platform/errors.ts';
import type { Page } from '../../platform/http/operation.ts';
import { listPage, type PageQuery } from '../../platform/http/pages.ts';
import { readOwned } from '../../platform/ownership.ts';
import { countedByStatus, merchantList } from '../merchants/index.ts';
import { type FlagStats, type FlagView, type StoredFlag, toFlag } from './flags.wire.ts';

export interface FlagFilter extends PageQuery {
  status?: FlagStatus | undefined;
  type?: FlagType | undefined;
  affiliateId?: string | undefined;
  programId?: string | undefined;
}

const COLUMNS = sql<StoredFlag>`id, affiliate_id as "affiliateId", program_id as "programId", type, status, details, note,
  conversion_count as "conversionCount", due_at as "dueAt", deadline_action as "deadlineAction", hold_ended_at as "holdEndedAt",
  created_at as "createdAt", resolved_at as "resolvedAt"`;

export const listFlags = (ctx: Context, filter: FlagFilter): Promise<Page<FlagView>> => {
  const { where, total } = merchantList('flag', merchantOf(ctx), filter);
  const { type } = filter;
  return listPage(ctx, filter, {
    name: 'flags',
    columns: COLUMNS,
    from: sql`flag`,
    where: [...where, type === undefined ? undefined : sql`type = ${type}`],
    ...(total && type === undefined ? { total } : {}),
    toItem: toFlag,
  });
};

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

export const getFlagOwner = async (ctx: Context, id: string): Promise<FlagOwner> => {
  const owner = await firstRow(
    ctx.em,
    sql<FlagOwner>`select id, merchant_id as "merchantId", affiliate_id as "affiliateId" from flag where id = ${id}::uuid`,
  );
  return readOwned(ctx, 'Flag', owner);
};

/** As the API shows it. */
export const getFlag = async (ctx: Context, id: string): Promise<FlagView> => {
  const row = await firstRow(ctx.em, sql<StoredFlag>`select ${COLUMNS} from flag where id = ${id}::uuid`);
  if (!row) throw notFound('Flag');
  return toFlag(row);
};

/** The first of the conversions that is missing or not the affiliate's own; null when all are. */
export const findForeignConversion = (
  ctx: Context,
  affiliateId: string,
  conversionIds: readonly string[],
): Promise<{ id: string; merchantId: string | null } | null> =>
  firstRow(
    ctx.em,
    sql<{ id: string; merchantId: string | null }>`select named.id, c.merchant_id as "merchantId"
      from unnest(${conversionIds}::uuid[]) as named (id) left join conversion c on c.id = named.id
      where c.affiliate_id is distinct from ${affiliateId}::uuid order by c.merchant_id nulls first, named.id limit 1`,
  );
