import type { PayoutMethod } from '../../../contracts/affiliates.ts';
import { MAX_RUN_ITEMS } from '../../../contracts/payout-runs.ts';
import { recordChange } from '../../../platform/audit-log/record-change.ts';
import { actorName, type Context, inTransaction, merchantOf } from '../../../platform/context.ts';
import { lockName } from '../../../platform/database/lock-name.ts';
import { execute, firstRow, sql } from '../../../platform/database/sql.ts';
import { anyOf } from '../../../platform/database/table.ts';
import { type AppError, conflict, notFound } from '../../../platform/errors.ts';
import { type PlannedPayee, planPayouts } from '../../payouts/index.ts';
import { readOwnedProgram } from '../../programs/index.ts';
import { db } from '../../tables.ts';
import { PayoutRun } from '../payout-run.entity.ts';
import { totalOf } from '../run-total.steps.ts';
import { startRunWorkflow } from '../run-workflow.steps.ts';

export interface CreatePayoutRunInput {
  programId?: string | undefined;
  affiliateIds?: readonly string[] | undefined;
  method?: PayoutMethod | undefined;
  /** Minor units. */
  minAmount?: number | undefined;
  name?: string | undefined;
  /** A date. */
  executionDate?: string | undefined;
}

/** Drafts a run: whom it would pay what, and whom not. Nothing is promised. */
export const createPayoutRun = (ctx: Context, input: CreatePayoutRunInput): Promise<PayoutRun> =>
  inTransaction(ctx, (ctx) => draftRun(ctx, { ...input, merchantId: merchantOf(ctx) }));

/**
 * As `createPayoutRun`, of any merchant, in the caller's transaction. `period` is that of a scheduled run. What it refuses, it refuses
 * before it writes.
 */
export const draftRun = async (
  ctx: Context,
  input: CreatePayoutRunInput & { merchantId: string; period?: string },
): Promise<PayoutRun> => {
  const { merchantId, programId, affiliateIds, method, minAmount, name, executionDate, period } = input;
  if (programId) await readOwnedProgram(ctx, programId);
  if (affiliateIds) await assertOwnAffiliates(ctx, merchantId, affiliateIds);
  await lockName(ctx, `payout-run:${merchantId}`);
  await assertNoneInProgress(ctx, input);
  const asOf = ctx.clock.now();
  const payees = await planPayouts(ctx, {
    merchantId,
    asOf,
    programId,
    affiliateIds,
    method,
    minAmount,
    limit: MAX_RUN_ITEMS + 1,
  });
  if (payees.length > MAX_RUN_ITEMS)
    throw conflict('RUN_TOO_LARGE', 'Too many affiliates for one run. Narrow it by program or method', { limit: MAX_RUN_ITEMS });
  const paid = payees.filter(({ reason }) => reason === null);
  if (payees.length === 0) throw conflict('NOTHING_PAYABLE', 'Nobody has a payable balance');
  // It would hold up others until it expires.
  if (paid.length === 0) throw nobodyToPay(payees);
  const run = ctx.em.create(PayoutRun, {
    id: ctx.ids.next(),
    merchantId,
    programId: programId ?? null,
    method: method ?? null,
    minAmount: minAmount ?? null,
    name: name ?? null,
    executionDate: executionDate ?? null,
    period: period ?? null,
    asOf,
    ...totalOf(paid),
    createdBy: actorName(ctx.actor),
    createdAt: asOf,
  });
  await insertItems(ctx, run.id, payees);
  await recordChange(ctx, {
    ownerId: merchantId,
    action: 'payout_run.created',
    resourceId: run.id,
    after: { programId, method, minAmount, total: run.total, items: run.items },
  });
  await startRunWorkflow(ctx, run);
  return run;
};

/** With the reasons by count. */
const nobodyToPay = (payees: readonly PlannedPayee[]): AppError => {
  const reasons: Record<string, number> = {};
  for (const { reason } of payees) if (reason !== null) reasons[reason] = (reasons[reason] ?? 0) + 1;
  return conflict('NOBODY_TO_PAY', 'Nobody can be paid: everyone with a balance is left out', { reasons });
};

/** Throws NOT_FOUND, also for an affiliate of another merchant. */
const assertOwnAffiliates = async (ctx: Context, merchantId: string, affiliateIds: readonly string[]): Promise<void> => {
  const named = [...new Set(affiliateIds)];
  const own = await firstRow(
    ctx.em,
    db
      .selectFrom('affiliate')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('id', '=', anyOf(named))
      .where('merchantId', '=', merchantId),
  );
  if (own?.count !== named.length) throw notFound('Affiliate');
};

/** Nothing of a `payout_run` is left to begin or to answer: what a provider has accepted may take weeks, until its payee claims it. */
const waitsForProvidersOnly = sql<boolean>`(status = 'running'
  and not exists (select from payout_run_item i where i.run_id = payout_run.id and i.result = 'planned')
  and not exists (select from payout p where p.payout_run_id = payout_run.id and (p.status = 'pending'
    or (p.status = 'processing' and not exists (
      select from payout_attempt t where t.payout_id = p.id and t.outcome = 'accepted')))))`;

/**
 * Throws RUN_IN_PROGRESS. All programs and all methods overlap with each. A draft from which everybody was taken out can't be confirmed, so
 * it holds nobody up, and neither does a run that only waits for providers. The caller holds the lock of the merchant's runs.
 */
const assertNoneInProgress = async (
  ctx: Context,
  { merchantId, programId, method }: CreatePayoutRunInput & { merchantId: string },
): Promise<void> => {
  const other = await firstRow(
    ctx.em,
    db
      .selectFrom('payout_run')
      .select(['id', 'status'])
      .where('merchantId', '=', merchantId)
      .where(sql<boolean>`status in ('draft','awaiting_approval','running','paused')`)
      .where(sql<boolean>`not (status = 'draft' and items = 0)`)
      .where(({ not }) => not(waitsForProvidersOnly))
      .where(sql<boolean>`(program_id is null or program_id = coalesce(${programId ?? null}::uuid, program_id))`)
      .where(sql<boolean>`(method is null or method = coalesce(${method ?? null}::text, method))`)
      .orderBy('id')
      .limit(1),
  );
  if (other)
    throw conflict('RUN_IN_PROGRESS', 'Another run of the same program and method is not finished', {
      runId: other.id,
      status: other.status,
    });
};

const insertItems = (ctx: Context, runId: string, payees: readonly PlannedPayee[]): Promise<number> =>
  execute(
    ctx.em,
    // A template: one parameter for all rows.
    sql`insert into payout_run_item
        (run_id, affiliate_id, program_id, currency, amount, method, rail, destination, destination_hash, result, reason)
      select ${runId}::uuid, "affiliateId", "programId", currency, amount, method, rail, destination, "destinationHash",
        case when reason is null then 'planned' else 'left_out' end, reason
      from jsonb_to_recordset(${JSON.stringify(payees)}::jsonb) as payee ("affiliateId" uuid, "programId" uuid, currency text,
        amount bigint, method text, rail text, destination text, "destinationHash" text, reason text)`,
  );
