import type { Context } from '../../platform/context.ts';
import { type Stored, sql } from '../../platform/database/sql.ts';
import type { Page } from '../../platform/http/operation.ts';
import { listPage, type PageQuery } from '../../platform/http/pages.ts';
import { readOwnedAffiliate } from '../affiliates/index.ts';
import { type AdjustmentView, toAdjustment } from './adjustments.wire.ts';

type AdjustmentRow = Stored<AdjustmentView, 'createdAt'>;

/** What the merchant adjusted for an affiliate, newest first. Throws NOT_FOUND, and FORBIDDEN for another merchant's affiliate. */
export const listAdjustments = async (ctx: Context, affiliateId: string, query: PageQuery): Promise<Page<AdjustmentView>> => {
  await readOwnedAffiliate(ctx, affiliateId);
  return listPage(ctx, query, {
    name: `adjustments-${affiliateId}`,
    columns: sql<AdjustmentRow>`d.id, d.affiliate_id as "affiliateId", b.program_id as "programId", d.amount::float8 as amount,
      b.currency, d.kind, d.note, d.included_in as "payoutId", d.created_by as "createdBy", d.created_at as "createdAt"`,
    from: sql`commission_adjustment d join ledger_balance b on b.affiliate_id = d.affiliate_id`,
    countFrom: sql`commission_adjustment d`,
    where: [sql`d.affiliate_id = ${affiliateId}::uuid and d.kind is not null`],
    sort: { key: sql`d.created_at`, id: sql`d.id`, type: 'timestamptz', ascending: false },
    toItem: toAdjustment,
  });
};
