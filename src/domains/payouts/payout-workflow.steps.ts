import { type Rail, railsThatBeginWith } from '../../contracts/rails.ts';
import type { PayoutSummary } from '../../contracts/workflows/payouts.ts';
import { type Context, type EventListener, onEach } from '../../platform/context.ts';
import { execute, type FieldsOf, isoOf, type RawBuilder, rows, sql, toIsoOrNull } from '../../platform/database/sql.ts';
import { enqueue, enqueueEach, jsonOf } from '../../platform/outbox/outbox.ts';
import type { Payout } from './payout.entity.ts';
import { SNAPSHOT, SNAPSHOT_TABLE } from './payout-state.queries.ts';

// Templates: the database writes the messages as JSON.

/** The columns of a `PayoutSummary`, over `SUMMARY_TABLES`. */
export const SUMMARY: FieldsOf<Required<PayoutSummary>> = {
  payoutId: sql`p.id`,
  merchantId: sql`p.merchant_id`,
  programId: sql`p.program_id`,
  affiliateId: sql`p.affiliate_id`,
  affiliateCode: sql`a.code`,
  programName: sql`g.name`,
  amountMinor: sql`p.amount::text`,
  currency: sql`p.currency`,
  rail: sql`p.rail`,
  method: sql`p.method`,
  createdAt: isoOf(sql`p.created_at`),
  approvalRequiredAt: isoOf(sql`case when p.approved_at is null then p.approval_required_at end`),
};

export const SUMMARY_TABLES = sql`payout p join affiliate a on a.id = p.affiliate_id join program g on g.id = p.program_id`;

/** Enqueues the start of the workflows of new payouts: they have the names that the affiliate and the program have now. */
export const startPayoutWorkflows = (ctx: Context, payouts: readonly Payout[]): Promise<void> =>
  enqueue(
    ctx,
    payouts.map((payout) => ({ topic: 'payout.start', suffix: '', subjectId: payout.id, payload: summaryOf(payout) })),
  );

/** Summary of a new payout, which nobody has approved yet. */
const summaryOf = (payout: Payout): PayoutSummary => ({
  payoutId: payout.id,
  merchantId: payout.merchantId,
  programId: payout.programId,
  affiliateId: payout.affiliateId,
  affiliateCode: payout.affiliateCode,
  programName: payout.programName,
  amountMinor: String(payout.amount),
  currency: payout.currency,
  rail: payout.rail,
  method: payout.method,
  createdAt: payout.createdAt.toISOString(),
  approvalRequiredAt: toIsoOrNull(payout.approvalRequiredAt),
});

/** Tells the payout's workflow how the payout is now. The caller has flushed the change. */
export const signalPayoutWorkflow = (ctx: Context, { id }: Payout): Promise<void> => signalPayoutsWhere(ctx, sql`p.id = ${id}`);

/** Tells workflows of pending payouts to try again: what decides on their first attempt changed. */
export const signalPendingPayouts = (ctx: Context, affiliateId: string): Promise<void> =>
  signalPayoutsWhere(ctx, sql`p.affiliate_id = ${affiliateId} and p.status = 'pending'`);

/** Tells workflows of payouts that are not sent yet, or that a person pays, that their run was paused or goes on. */
export const signalPayoutsOfRun = (ctx: Context, runId: string): Promise<void> =>
  signalPayoutsWhere(
    ctx,
    sql`p.payout_run_id = ${runId}
      and (p.status = 'pending' or (p.status = 'processing' and p.rail = any(${railsThatBeginWith('person')})))`,
  );

/** Payouts that are told at once of a change of an account. The others try again by themselves. */
const MAX_OF_ACCOUNT = 200;

/** Tells workflows of pending payouts that the account that they are paid from may be able to pay. */
export const signalPayoutsOfAccount = (ctx: Context, { merchantId, rail }: { merchantId: string; rail: Rail }): Promise<void> =>
  signalPayoutsWhere(ctx, sql`p.merchant_id = ${merchantId} and p.rail = ${rail} and p.status = 'pending'`, MAX_OF_ACCOUNT);

/**
 * A payout without an attempt fails when its affiliate is blocked. Its workflow does that: here the affiliate is locked,
 * and its balance must be locked first.
 */
export const signalBlockedPayouts: EventListener = onEach(async (ctx, event) => {
  if (event.type === 'affiliate.blocked') await signalPendingPayouts(ctx, event.data.id);
});

/** Tells workflows of these payouts that what holds them up may have ended. */
export const signalPayoutsById = async (ctx: Context, ids: readonly string[]): Promise<void> => {
  if (ids.length > 0) await signalPayoutsWhere(ctx, sql`p.id = any(${ids}::uuid[]) and p.status = 'pending'`);
};

/** Tells a page of workflows of pending payouts, of all merchants, that payments go on. Returns the last one; null: there are no more. */
export const signalAllPending = async (
  ctx: Context,
  { after, limit }: { after: string | null; limit: number },
): Promise<string | null> => {
  const page = await rows(
    ctx.em,
    sql<{ id: string }>`select id from payout where status = 'pending' and (${after}::uuid is null or id > ${after}::uuid)
      order by id limit ${limit}`,
  );
  await signalPayoutsById(
    ctx,
    page.map(({ id }) => id),
  );
  return page.length < limit ? null : (page.at(-1)?.id ?? null);
};

/** Goes by id: two that write the same messages in different orders could wait for each other. */
const signalPayoutsWhere = async (ctx: Context, condition: RawBuilder<unknown>, most?: number): Promise<void> => {
  const limit = most === undefined ? sql`` : sql`limit ${most}`;
  await execute(
    ctx.em,
    enqueueEach({
      topic: 'payout.changed',
      suffix: '',
      subjectId: sql`p.id`,
      payload: { ...SUMMARY, snapshot: jsonOf(SNAPSHOT) },
      from: sql`${SUMMARY_TABLES} ${SNAPSHOT_TABLE} where ${condition} order by p.id ${limit}`,
    }),
  );
};

/** Enqueues the workflow of a correction or, once it is `changed` by somebody else, its signal: the payout's own workflow has ended. */
export const startCorrectionWorkflow = async (
  ctx: Context,
  { id }: Payout,
  n: number,
  state: 'new' | 'changed' = 'new',
): Promise<void> => {
  await execute(
    ctx.em,
    enqueueEach({
      topic: state === 'new' ? 'payout.correction' : 'payout.correction_changed',
      suffix: correctionSuffixOf(sql`k.n`),
      subjectId: sql`p.id`,
      payload: { ...SUMMARY, n: sql`k.n`, cause: sql`k.cause` },
      from: sql`${SUMMARY_TABLES} join payout_correction k on k.payout_id = p.id where p.id = ${id} and k.n = ${n}`,
    }),
  );
};

export const correctionSuffixOf = (n: RawBuilder<unknown>): RawBuilder<unknown> => sql`'/correction/' || ${n}`;

/** Enqueues the workflow of a contradiction or, once it is `resolved`, the signal that ends it. */
export const startContradictionWorkflow = async (
  ctx: Context,
  { id }: Payout,
  n: number,
  state: 'open' | 'resolved' = 'open',
): Promise<void> => {
  await execute(
    ctx.em,
    enqueueEach({
      topic: state === 'open' ? 'payout.contradiction' : 'payout.contradiction_resolved',
      suffix: contradictionSuffixOf(sql`${n}::int`),
      subjectId: sql`p.id`,
      payload: { ...SUMMARY, n: sql`${n}::int` },
      from: sql`${SUMMARY_TABLES} where p.id = ${id}`,
    }),
  );
};

export const contradictionSuffixOf = (n: RawBuilder<unknown>): RawBuilder<unknown> => sql`'/contradiction/' || ${n}`;
