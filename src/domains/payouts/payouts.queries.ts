import type { PayoutMethod } from '../../contracts/affiliates.ts';
import type { Period } from '../../contracts/conversions.ts';
import type { PayoutDetails, PayoutStatus, Rail } from '../../contracts/payouts.ts';
import { type Context, callerOf } from '../../platform/context.ts';
import { allOf, firstRow, rows, sql, toIso, toIsoOrNull } from '../../platform/database/sql.ts';
import { forbidden, notFound } from '../../platform/errors.ts';
import type { Page } from '../../platform/http/operation.ts';
import { listPage, type PageQuery } from '../../platform/http/pages.ts';
import { decryptPayoutDetails } from '../affiliates/index.ts';
import { since } from '../conversions/index.ts';
import { type MerchantListFilter, merchantList } from '../merchants/index.ts';
import type { PayoutStats, PayoutView, PendingAffiliateView, TimelineView } from './payouts.wire.ts';

export type PayoutFilter = PageQuery & MerchantListFilter;

interface PayoutRow {
  id: string;
  merchant_id: string;
  affiliate_id: string;
  program_id: string;
  amount: number;
  currency: string;
  status: PayoutStatus;
  method: PayoutMethod;
  rail: Rail;
  notes: string | null;
  retry_of: string | null;
  needs_attention: boolean;
  failure_code: string | null;
  created_at: string;
  processing_at: string | null;
  completed_at: string | null;
  failed_at: string | null;
}

const COLUMNS = sql<PayoutRow>`id, merchant_id, affiliate_id, program_id, amount::float8 as amount, currency, status, method, rail,
  notes, retry_of, needs_attention, failure_code, created_at, processing_at, completed_at, failed_at`;

const toView = (row: PayoutRow): PayoutView => ({
  id: row.id,
  affiliateId: row.affiliate_id,
  programId: row.program_id,
  amount: row.amount,
  currency: row.currency,
  status: row.status,
  method: row.method,
  rail: row.rail,
  notes: row.notes,
  retryOf: row.retry_of,
  needsAttention: row.needs_attention,
  failureCode: row.failure_code,
  createdAt: toIso(row.created_at),
  processingAt: toIsoOrNull(row.processing_at),
  completedAt: toIsoOrNull(row.completed_at),
  failedAt: toIsoOrNull(row.failed_at),
});

export const listPayouts = (ctx: Context, merchantId: string, filter: PayoutFilter): Promise<Page<PayoutView>> =>
  listPage(ctx, filter, {
    name: 'payouts',
    columns: COLUMNS,
    from: sql`payout`,
    ...merchantList('payout', merchantId, filter),
    toItem: toView,
  });

export const getOwnPayout = async (ctx: Context, payoutId: string): Promise<PayoutView> => {
  const row = await firstRow(ctx.em, sql<PayoutRow>`select ${COLUMNS} from payout where id = ${payoutId}::uuid`);
  if (!row) throw notFound('Payout');
  if (row.merchant_id !== callerOf(ctx).ownerId) throw forbidden();
  return toView(row);
};

interface TimelineRow {
  id: string;
  at: string;
  what: string;
  actor: string;
  from_status: PayoutStatus | null;
  to_status: PayoutStatus | null;
  attempt: number | null;
  rail_reference: string | null;
  reason: string | null;
  workflow_id: string | null;
  run_id: string | null;
}

const MAX_ENTRIES = 1_000;

/** Oldest first: it reads like a story. */
export const payoutTimeline = async (ctx: Context, payoutId: string): Promise<TimelineView[]> => {
  await getOwnPayout(ctx, payoutId);
  const found = await rows(
    ctx.em,
    sql<TimelineRow>`select id, at, what, actor, from_status, to_status, attempt, rail_reference, reason, workflow_id, run_id
      from payout_timeline where payout_id = ${payoutId}::uuid order by at, id limit ${MAX_ENTRIES}`,
  );
  return found.map((row) => ({
    id: row.id,
    at: toIso(row.at),
    what: row.what,
    actor: row.actor,
    from: row.from_status,
    to: row.to_status,
    attempt: row.attempt,
    railReference: row.rail_reference,
    reason: row.reason,
    workflowId: row.workflow_id,
    runId: row.run_id,
  }));
};

interface OwedRow {
  affiliateId: string;
  profileId: string;
  email: string;
  name: string | null;
  code: string;
  programId: string;
  programName: string;
  payoutMethod: PayoutMethod | null;
  pendingAmount: number;
  currency: string;
  threshold: number;
  commissionCount: number;
}

const masked = (iban: string | null): string | null => (iban === null ? null : `****${iban.slice(-4)}`);

/** People who are owed money, those below the threshold or without a payout method included. */
export const listPendingAffiliates = async (
  ctx: Context,
  merchantId: string,
  filter: PageQuery & { programId?: string | undefined },
): Promise<Page<PendingAffiliateView>> => {
  const page = await listPage<OwedRow, OwedRow>(ctx, filter, {
    name: 'pending-affiliates',
    columns: sql<OwedRow>`a.id as "affiliateId", f.id as "profileId", f.email, f.name, a.code, p.id as "programId",
      p.name as "programName", f.payout_method as "payoutMethod", b.payable::float8 as "pendingAmount", b.currency,
      p.payout_threshold::float8 as threshold,
      (select count(*)::int from conversion c where c.affiliate_id = a.id and c.approved_at is not null and c.commission > 0
        and not exists (select 1 from payout_item i where i.kind = 'commission' and i.subject_id = c.id and i.active)
      ) as "commissionCount"`,
    from: sql`ledger_balance b join affiliate a on a.id = b.affiliate_id join affiliate_profile f on f.id = a.profile_id
      join program p on p.id = a.program_id`,
    where: [
      sql`b.merchant_id = ${merchantId}::uuid and b.payable > 0`,
      filter.programId === undefined ? undefined : sql`b.program_id = ${filter.programId}::uuid`,
    ],
    sort: { key: sql`a.created_at`, id: sql`a.id`, type: 'timestamptz', ascending: false },
    toItem: (row) => row,
  });
  return { ...page, items: await Promise.all(page.items.map((row) => toPendingAffiliate(ctx, row))) };
};

const toPendingAffiliate = async (ctx: Context, row: OwedRow): Promise<PendingAffiliateView> => {
  const { profileId, ...shown } = row;
  const details: PayoutDetails | null = row.payoutMethod ? await decryptPayoutDetails(ctx, { profileId }) : null;
  return {
    ...shown,
    paypalEmail: details?.paypalEmail ?? null,
    bankIban: masked(details?.bankIban ?? null),
    meetsThreshold: row.pendingAmount >= row.threshold,
    hasPayoutMethod: row.payoutMethod !== null,
  };
};

export const payoutStats = async (
  ctx: Context,
  merchantId: string,
  filter: { programId?: string | undefined; period: Period },
): Promise<PayoutStats> => {
  const where = allOf([
    sql`merchant_id = ${merchantId}::uuid`,
    filter.programId === undefined ? undefined : sql`program_id = ${filter.programId}::uuid`,
    since(ctx, filter.period),
  ]);
  const byCurrency = await rows(
    ctx.em,
    sql<PayoutStats['byCurrency'][number]>`select currency, count(*)::int as count,
        coalesce(sum(amount) filter (where status = 'completed'), 0)::float8 as "totalPaid",
        coalesce(sum(amount) filter (where status in ('pending','processing')), 0)::float8 as "totalPending",
        coalesce(sum(amount) filter (where status = 'failed'), 0)::float8 as "totalFailed"
      from payout where ${where} group by currency order by max(created_at) desc`,
  );
  const { currency, ...main } = byCurrency[0] ?? { currency: null, totalPaid: 0, totalPending: 0, totalFailed: 0, count: 0 };
  return { ...main, currency, byCurrency };
};
