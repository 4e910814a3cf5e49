import type { EntityData } from '@mikro-orm/core';
import type { PayoutRunStatus } from '../../contracts/payout-runs.ts';
import { type AtProvider, isPaidFromMerchant, RAIL_NAMES, type Rail, railsThatBeginWith } from '../../contracts/rails.ts';
import type { PayoutHold } from '../../contracts/situations/payout.ts';
import type { PayoutSnapshot } from '../../contracts/workflows/payouts.ts';
import type { Context } from '../../platform/context.ts';
import { compileOnce, type Given } from '../../platform/database/compiled.ts';
import {
  expressionBuilder,
  type FieldsOf,
  firstRow,
  type InferResult,
  isoOf,
  type RawBuilder,
  rows,
  sql,
} from '../../platform/database/sql.ts';
import { uncounted } from '../../platform/database/table.ts';
import { notFound } from '../../platform/errors.ts';
import { jsonOf } from '../../platform/outbox/outbox.ts';
import { payoutDestination } from '../affiliates/index.ts';
import { isHeldInPayout } from '../conversions/index.ts';
import { db, type Tables } from '../tables.ts';
import { arePaymentsHeld, hasPayeeHolds, isListedThere, waitsForPayee } from './holds/holds.queries.ts';
import { PAGE } from './lists/payout-page.queries.ts';
import type { Hold } from './machine/state.ts';
import { paidAtIn } from './manual/payment-time.steps.ts';
import { Payout } from './payout.entity.ts';
import { attemptKey, PayoutAttempt } from './payout-attempt.entity.ts';
import { pauseAfter, pausesIn } from './rails/provider-states.rules.ts';
import { MERCHANT_RAILS } from './rails/rail-choice.queries.ts';

// Templates: whole rows for the ORM, and fragments of messages that the database writes as JSON.

/** A payout as stored now, for a look that decides nothing. Throws NOT_FOUND. */
export const findPayout = async (ctx: Context, payoutId: string): Promise<Payout> => {
  const row = await firstRow(ctx.em, sql<EntityData<Payout>>`select * from payout where id = ${payoutId}`);
  if (!row) throw notFound('Payout');
  return ctx.em.map(Payout, row);
};

/** Null before the first attempt. */
export const findLatestAttempt = async (ctx: Context, payoutId: string): Promise<PayoutAttempt | null> => {
  const row = await firstRow(
    ctx.em,
    sql<EntityData<PayoutAttempt>>`select * from payout_attempt where payout_id = ${payoutId} order by n desc limit 1`,
  );
  return row && ctx.em.map(PayoutAttempt, row);
};

/** Whether a payout of this affiliate has a contradiction that nobody resolved. */
const hasOpenContradiction = (affiliateId: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`exists (select 1 from payout_contradiction k join payout kp on kp.id = k.payout_id
    where k.resolved_at is null and kp.affiliate_id = ${affiliateId})`;

/** Whether the payout's run is in this state; false for one that was created alone. */
const isRunIn = (status: PayoutRunStatus, runId: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`exists (select from payout_run r where r.id = ${runId} and r.status = ${sql.lit(status)})`;

/** The account that a payout is paid from, if its merchant has connected one. */
const accountOf = (payout: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`from rail_account c where c.merchant_id = ${payout}.merchant_id and c.rail = ${payout}.rail and c.is_current`;

const FROM_MERCHANTS = sql.join(RAIL_NAMES.filter((rail) => isPaidFromMerchant(rail)).map((rail) => sql.lit(rail)));

const MANUAL = sql.join(railsThatBeginWith('person').map((rail) => sql.lit(rail)));

/** Why a payout may not be paid now: one that is pending, or that a person began to pay. Of any other nothing is read. */
export const holdOf = (payout: RawBuilder<unknown>): RawBuilder<PayoutHold | null> =>
  sql<PayoutHold | null>`case
    when ${payout}.status = 'pending' and ${hasOpenContradiction(sql`${payout}.affiliate_id`)} then 'unresolved_contradiction'
    when (${payout}.status = 'pending' or (${payout}.status = 'processing' and ${payout}.rail in (${MANUAL})))
      and ${isRunIn('paused', sql`${payout}.payout_run_id`)} then 'run_paused'
    when ${payout}.status = 'pending' and ${arePaymentsHeld()} then 'payments_held'
    when ${payout}.status = 'pending' and ${waitsForPayee(sql`${payout}.id`)} then 'payee_held'
    when ${payout}.status = 'pending' and exists (select ${accountOf(payout)} and c.held_code is not null) then 'account_held'
    when ${payout}.status = 'pending' and ${payout}.rail in (${FROM_MERCHANTS}) and not exists (select ${accountOf(payout)})
      then 'account_missing' end`;

/** Whether the run of a payout of any status is paused, unlike what blocks a first attempt. */
export const isRunPaused = async (ctx: Context, { payoutRunId }: Payout): Promise<boolean> => {
  if (!payoutRunId) return false;
  const found = await firstRow(
    ctx.em,
    sql<{ isPaused: boolean }>`select ${isRunIn('paused', sql`${payoutRunId}::uuid`)} as "isPaused"`,
  );
  return found?.isPaused === true;
};

export interface AttemptConditions {
  /** What stands against a first attempt, and against sending an order again that the provider never received. */
  hold: Hold | null;
  /** Whether payouts to the affiliate are paused, which does not hold up a first attempt. */
  payoutsPaused: boolean;
  /** Whether the provider reported or lists a transfer under the key of the first attempt before that existed. */
  isReported: boolean;
  /** All payments. */
  arePaymentsHeld: boolean;
  /** Payees of the merchant, this one or others. */
  arePayeesHeld: boolean;
}

/** What decides on the first attempt of a pending payout, and on each resend. */
export const findAttemptConditions = async (
  ctx: Context,
  { id, merchantId, affiliateId, payoutRunId }: Pick<Payout, 'id' | 'merchantId' | 'affiliateId' | 'payoutRunId'>,
): Promise<AttemptConditions> =>
  (await firstRow(
    ctx.em,
    db
      .selectFrom('affiliate as a')
      .select(({ exists, selectFrom }) => [
        sql<Hold | null>`case when a.status = 'blocked' then 'affiliate_blocked'
          when ${isHeldInPayout(id, affiliateId)} then 'items_held'
          when ${isRunIn('cancelled', sql`${payoutRunId ?? null}::uuid`)} then 'run_cancelled'
          when ${hasOpenContradiction(sql`a.id`)} then 'unresolved_contradiction'
          when ${isRunIn('paused', sql`${payoutRunId ?? null}::uuid`)} then 'run_paused' end`.as('hold'),
        'a.payoutsPaused',
        sql<boolean>`${exists(
          selectFrom('rail_notification')
            .select('id')
            .where('attemptId', 'is', null)
            .where('idempotencyKey', '=', attemptKey(id, 1))
            .where(({ eb, or, ref }) => or([eb('merchantId', 'is', null), eb('merchantId', '=', ref('a.merchantId'))])),
        )} or ${isListedThere(id, attemptKey(id, 1), sql`${merchantId}::uuid`)}`.as('isReported'),
        arePaymentsHeld().as('arePaymentsHeld'),
        hasPayeeHolds(sql`${merchantId}::uuid`).as('arePayeesHeld'),
      ])
      .where('a.id', '=', affiliateId),
  )) ?? { hold: null, payoutsPaused: false, isReported: false, arePaymentsHeld: false, arePayeesHeld: false };

/** Where the provider has an attempt `t` that it accepted, as JSON. */
export const AT_PROVIDER = sql<AtProvider | null>`case when t.outcome = 'accepted' then jsonb_build_object('state', t.rail_state,
    'since', ${isoOf(sql`t.rail_state_at`)}, 'isCancelRequested', t.cancel_requested_at is not null) end`;

/** The fields of a `PayoutSnapshot`, over a payout `p` and `SNAPSHOT_TABLE`. */
export const SNAPSHOT: FieldsOf<PayoutSnapshot> = {
  version: sql`p.version + coalesce(t.versions, 0)`,
  status: sql`p.status`,
  attemptId: sql`t.id`,
  attempts: sql`coalesce(t.n, 0)`,
  attemptOutcome: sql`t.outcome`,
  atProvider: AT_PROVIDER,
  sendCount: sql`coalesce(t.send_count, 0)`,
  needsAttention: sql`p.needs_attention`,
  reviewReason: sql`p.review_reason`,
  railReason: sql`t.failure_code`,
  failureCode: sql`p.failure_code`,
  resendAt: isoOf(sql`t.resend_at`),
  onHold: holdOf(sql`p`),
  awaitsApproval: sql`p.status = 'pending' and p.approval_required_at is not null and p.approved_at is null`,
  approvedAt: isoOf(sql`p.approved_at`),
  lookUpRequested: sql`coalesce(t.look_up_requested, false)`,
  run: sql`p.run_id`,
  reference: sql`coalesce(p.bank_reference, t.rail_reference)`,
  paidAt: isoOf(paidAtIn('p.')),
  correctedFrom: sql`(select k.from_status from payout_correction k where k.payout_id = p.id and k.status = 'booked' order by k.n limit 1)`,
  attentionSince: isoOf(sql`p.attention_since`),
  page: PAGE,
};

/** The latest attempt. Every version counts: each only ever rises, and so does their sum. */
export const SNAPSHOT_TABLE = sql`left join lateral (
  select *, sum(version) over () as versions from payout_attempt where payout_id = p.id order by n desc limit 1) t on true`;

/** What the workflow needs to decide on its next step. */
export const getPayoutSnapshot = async (ctx: Context, payoutId: string): Promise<PayoutSnapshot> => {
  const row = await firstRow(
    ctx.em,
    sql<{ snapshot: PayoutSnapshot; rail: Rail }>`select ${jsonOf(SNAPSHOT)} as snapshot, p.rail
      from payout p ${SNAPSHOT_TABLE} where p.id = ${payoutId}`,
  );
  if (!row) throw notFound('Payout');
  return { ...row.snapshot, ...lookUpAfter(ctx, row.rail, row.snapshot) };
};

const lookUpAfter = (ctx: Context, rail: Rail, { atProvider }: PayoutSnapshot): Pick<PayoutSnapshot, 'lookUpAfterMs'> => {
  const { state = null, since = null, isCancelRequested = false } = atProvider ?? {};
  // Whether it was cancelled is asked sooner.
  const pauses = isCancelRequested ? null : pausesIn(rail, state);
  if (!pauses || since === null) return {};
  const elapsedMs = ctx.clock.now().getTime() - Date.parse(since);
  return {
    lookUpAfterMs: pauseAfter(
      pauses.map((pauseMs) => ctx.settings.scaled(pauseMs)),
      elapsedMs,
    ),
  };
};

const ofAffiliate = expressionBuilder<{ a: Tables['affiliate'] }, 'a'>();

/** What stands against any payout to an affiliate `a`. The statuses are literals for the partial index. */
export const STANDING = [
  ofAffiliate.ref('a.status').as('affiliateStatus'),
  ofAffiliate.ref('a.payoutsPaused').as('payoutsPaused'),
  sql<string | null>`(select o.id from payout o where o.affiliate_id = a.id and o.status in ('pending','processing'))`.as(
    'inFlight',
  ),
  // A payout with an open contradiction.
  sql<string | null>`(select k.payout_id from payout_contradiction k join payout o on o.id = k.payout_id
    where k.resolved_at is null and o.affiliate_id = a.id limit 1)`.as('unresolved'),
] as const;

const eligibility = compileOnce(({ affiliateIds }: Given<{ affiliateIds: readonly string[] }>) =>
  db
    .selectFrom(sql<{ id: string }>`unnest(${uncounted(sql`${affiliateIds}::uuid[]`)})`.as<'named'>(sql`named (id)`))
    .innerJoin('affiliate as a', 'a.id', 'named.id')
    .innerJoin('program as p', 'p.id', 'a.programId')
    .innerJoin('merchant as m', 'm.id', 'a.merchantId')
    .innerJoin('affiliate_profile as f', 'f.id', 'a.profileId')
    .select(['a.merchantId', 'a.programId', 'm.payoutDailyLimit', 'm.payoutApprovalThreshold'])
    .select(MERCHANT_RAILS)
    .select(['p.currency', 'p.payoutThreshold as threshold', 'a.code as affiliateCode', 'p.name as programName'])
    .select(sql<string | null>`coalesce(case when not a.profile_hidden then f.name end, a.name)`.as('affiliateName'))
    // The number of a payout that is refused stays a gap.
    .select(sql<string>`m.payment_prefix || '-' || nextval('payment_number')`.as('paymentReference'))
    .select(payoutDestination)
    .select(STANDING),
);

/** Everything but money that decides on new payouts, in any order. Call it while holding the locks of the balances. */
export const findPayoutEligibilities = (ctx: Context, affiliateIds: readonly string[]): Promise<PayoutEligibility[]> =>
  rows(ctx.em, eligibility({ affiliateIds }));

export type PayoutEligibility = InferResult<ReturnType<typeof eligibility>>[number];
