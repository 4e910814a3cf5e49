import { z } from 'zod';
import type { Context } from '../../platform/context.ts';
import type { Given } from '../../platform/database/compiled.ts';
import { sql } from '../../platform/database/sql.ts';
import { createCsvUrl, csvDownload } from '../../platform/http/csv-download.ts';
import { list } from '../../platform/http/lists.ts';
import type { Page } from '../../platform/http/operation.ts';
import type { PageQuery } from '../../platform/http/pages.ts';
import { db } from '../tables.ts';
import { getOwnRun, REASON, RESULT } from './payout-runs.queries.ts';
import { decimalOrNull, type PayoutRunItemView, type ShownResult } from './payout-runs.wire.ts';

interface ItemFilter {
  result?: ShownResult | undefined;
  reason?: string | undefined;
}

const itemsOf = ({ runId, result, reason }: Given<ItemFilter & { runId: string }>) => {
  let query = db
    .selectFrom('payout_run_item as i')
    // The limits keep the planner from hash joins, which read all affiliates and payouts.
    .innerJoinLateral(
      ({ selectFrom }) => selectFrom('affiliate').selectAll().whereRef('id', '=', 'i.affiliateId').limit(sql.lit(1)).as('a'),
      (join) => join.onTrue(),
    )
    .innerJoinLateral(
      ({ selectFrom }) =>
        selectFrom('affiliate_profile').select('email').whereRef('id', '=', 'a.profileId').limit(sql.lit(1)).as('f'),
      (join) => join.onTrue(),
    )
    .leftJoinLateral(
      ({ selectFrom }) =>
        selectFrom('payout')
          .select(['status', 'failureCode', 'railReason'])
          .whereRef('id', '=', 'i.payoutId')
          .limit(sql.lit(1))
          .as('o'),
      (join) => join.onTrue(),
    )
    .select(['i.affiliateId', 'a.code', 'f.email', 'i.programId', 'i.currency', 'i.amount', 'i.rail', 'i.destination'])
    .select([RESULT.as('result'), REASON.as('reason'), 'o.railReason', 'i.payoutId', 'i.paidAmount'])
    .where('i.runId', '=', runId);
  if (result) query = query.where(RESULT, '=', result);
  if (reason) query = query.where(REASON, '=', reason);
  return query;
};

const items = list({
  name: ({ runId }) => `payout-run-items-${runId}`,
  query: itemsOf,
  sort: { key: sql.ref('i.affiliateId'), id: sql.ref('i.affiliateId'), type: 'uuid', ascending: true },
  toItem: ({
    pageKey: _,
    pageId: __,
    pageTotal: ___,
    ...item
  }: PayoutRunItemView & Record<'pageKey' | 'pageId' | 'pageTotal', unknown>) => item,
});

/** Whom a run of the caller pays, and whom not, in the order in which they joined. Throws NOT_FOUND and FORBIDDEN. */
export const listPayoutRunItems = async (
  ctx: Context,
  runId: string,
  { result, reason, ...page }: PageQuery & ItemFilter,
): Promise<Page<PayoutRunItemView>> => {
  await getOwnRun(ctx, runId);
  return items(ctx, page, { runId, result, reason });
};

const exported = list({
  name: 'payout-run-items-exported',
  query: ({ runId, merchantId }: Given<{ runId: string; merchantId: string }>) =>
    itemsOf({ runId, result: undefined, reason: undefined })
      .innerJoin('payout_run as r', 'r.id', 'i.runId')
      .innerJoin('program as g', 'g.id', 'i.programId')
      .select(['i.runId', 'i.method', 'g.name as programName', 'a.name as ownName'])
      .where('r.merchantId', '=', merchantId),
  sort: { key: sql.ref('i.affiliateId'), id: sql.ref('i.affiliateId'), type: 'uuid', ascending: true },
  toItem: (row) => row,
});

type ExportedItem = PayoutRunItemView & { runId: string; method: string | null; programName: string };

/**
 * Every item of a run with its result, for the books. Amounts are decimal. `amount` adds up to the totals of the run, and `paid` to what is
 * paid now: a payout that failed or came back is in its affiliate's balance again.
 */
export const payoutRunCsv = csvDownload({
  name: 'payout-run',
  scope: 'payouts:read',
  filter: z.strictObject({ runId: z.uuid() }),
  columns: {
    runId: ({ runId }: ExportedItem) => runId,
    affiliateId: ({ affiliateId }) => affiliateId,
    code: ({ code }) => code,
    email: ({ email }) => email,
    program: ({ programName }) => programName,
    planned: ({ amount, currency }) => decimalOrNull(amount, currency),
    amount: ({ amount, paidAmount, currency }) => decimalOrNull(paidAmount ?? amount, currency),
    paid: ({ paidAmount, result, currency }) => decimalOrNull(result === 'completed' ? paidAmount : null, currency),
    currency: ({ currency }) => currency.toUpperCase(),
    method: ({ method }) => method,
    rail: ({ rail }) => rail,
    destination: ({ destination }) => destination,
    result: ({ result }) => result,
    reason: ({ reason }) => reason,
    payoutId: ({ payoutId }) => payoutId,
  },
  source: (ctx, { merchantId, runId }) => exported.all(ctx, { merchantId, runId }),
});

/** A URL of the file. Throws NOT_FOUND and FORBIDDEN. */
export const exportPayoutRun = async (ctx: Context, runId: string) => {
  await getOwnRun(ctx, runId);
  return createCsvUrl(ctx, payoutRunCsv, { runId });
};
