import type { Rail } from '../../contracts/rails.ts';
import type { DifferenceKind, DifferenceStatus, PaymentsHoldCause } from '../../contracts/reconciliation.ts';
import { type Context, merchantOf } from '../../platform/context.ts';
import type { Given } from '../../platform/database/compiled.ts';
import { firstRow, rows, sql, toIsoOrNull } from '../../platform/database/sql.ts';
import { list } from '../../platform/http/lists.ts';
import type { Page } from '../../platform/http/operation.ts';
import type { PageQuery } from '../../platform/http/pages.ts';
import { readOwned } from '../../platform/ownership.ts';
import { db } from '../tables.ts';
import {
  type DifferenceView,
  type ReconciliationStatusView,
  type RunView,
  toDifference,
  toPaymentsHeld,
  toRun,
} from './reconciliation.wire.ts';

export const DIFFERENCE = [
  'id',
  'kind',
  'status',
  'rail',
  'payoutId',
  'programId',
  'ours',
  'theirs',
  'note',
  'linkedPayoutId',
  'resolvedBy',
  'createdAt',
  'seenAt',
  'resolvedAt',
] as const;

interface DifferenceFilter {
  status?: DifferenceStatus | undefined;
  kind?: DifferenceKind | undefined;
  rail?: Rail | undefined;
  programId?: string | undefined;
}

const differences = list({
  name: 'reconciliation-differences',
  query: ({ merchantId, status, kind, rail, programId }: Given<{ merchantId: string } & DifferenceFilter>) =>
    db
      .selectFrom('reconciliation_difference')
      .select(DIFFERENCE)
      .where('merchantId', '=', merchantId)
      .$if(status !== undefined, (query) => query.where(sql<boolean>`status = ${status}`))
      .$if(kind !== undefined, (query) => query.where(sql<boolean>`kind = ${kind}`))
      .$if(rail !== undefined, (query) => query.where(sql<boolean>`rail = ${rail}`))
      .$if(programId !== undefined, (query) => query.where(sql<boolean>`program_id = ${programId}::uuid`)),
  toItem: toDifference,
});

/** Differences of the caller, newest first. */
export const listReconciliationDifferences = (
  ctx: Context,
  { status, kind, rail, programId, ...page }: PageQuery & DifferenceFilter,
): Promise<Page<DifferenceView>> => differences(ctx, page, { merchantId: merchantOf(ctx), status, kind, rail, programId });

/** 404 when missing, 403 when it belongs to another merchant. */
export const getReconciliationDifference = async (ctx: Context, id: string): Promise<DifferenceView> => {
  const stored = db.selectFrom('reconciliation_difference').select(DIFFERENCE).select('merchantId').where('id', '=', id);
  const found = await firstRow(ctx.em, stored);
  return toDifference(readOwned(ctx, 'Difference', found && { ...found, merchantId: found.merchantId ?? NOBODY }));
};

/** Stands for the merchant of a difference that the operator decides on. */
export const NOBODY = '';

const runs = list({
  name: 'reconciliation-runs',
  query: ({ merchantId, rail }: Given<{ merchantId: string; rail?: Rail | undefined }>) =>
    db
      .selectFrom('reconciliation_run')
      .select(['id', 'rail', 'status', 'problem', 'trigger', 'since', 'until', 'completeUntil', 'payments', 'differences'])
      .select(['totals', 'createdAt', 'endedAt'])
      .where('merchantId', '=', merchantId)
      .$if(rail !== undefined, (query) => query.where(sql<boolean>`rail = ${rail}`)),
  toItem: toRun,
});

/** Comparisons of the caller's accounts, newest first. */
export const listReconciliationRuns = (
  ctx: Context,
  { rail, ...page }: PageQuery & { rail?: Rail | undefined },
): Promise<Page<RunView>> => runs(ctx, page, { merchantId: merchantOf(ctx), rail });

/** Whether anything is paid now, and what waits for the caller. */
export const getReconciliationStatus = async (ctx: Context): Promise<ReconciliationStatusView> => {
  const merchantId = merchantOf(ctx);
  const found = await firstRow(
    ctx.em,
    db
      .selectNoFrom(({ selectFrom, fn }) => [
        selectFrom('reconciliation_difference')
          .select(fn.countAll<number>().as('open'))
          .where('merchantId', '=', merchantId)
          .where('status', '=', 'open')
          .as('open'),
        selectFrom('reconciliation_run')
          .select((eb) => eb.fn.max('endedAt').as('at'))
          .where('merchantId', '=', merchantId)
          .where('status', '=', 'completed')
          .as('comparedAt'),
        selectFrom('payments_hold').select('heldAt').where('liftedAt', 'is', null).as('heldAt'),
        selectFrom('payments_hold').select('cause').where('liftedAt', 'is', null).as('cause'),
      ])
      .$castTo<{ open: number; comparedAt: string | null; heldAt: string | null; cause: PaymentsHoldCause | null }>(),
  );
  const { open = 0, comparedAt = null, heldAt = null, cause = null } = found ?? {};
  return {
    openDifferences: open,
    comparedAt: toIsoOrNull(comparedAt),
    paymentsHeld: heldAt === null || cause === null ? null : toPaymentsHeld({ heldAt, cause }),
  };
};

/** What waits for a decision and belongs to any merchant or to nobody, oldest first: for the operator. */
export const listOpenDifferences = async (
  ctx: Context,
  { limit, merchantId }: { limit: number; merchantId?: string | undefined },
): Promise<(DifferenceView & { merchantId: string | null })[]> => {
  const found = await rows(
    ctx.em,
    db
      .selectFrom('reconciliation_difference')
      .select(DIFFERENCE)
      .select('merchantId')
      .where('status', '=', 'open')
      .$if(merchantId !== undefined, (query) => query.where('merchantId', '=', merchantId ?? ''))
      .orderBy('createdAt')
      .orderBy('id')
      .limit(limit),
  );
  return found.map(({ merchantId: owner, ...row }) => ({ merchantId: owner, ...toDifference(row) }));
};
