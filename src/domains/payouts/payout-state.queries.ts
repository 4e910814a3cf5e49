import { LockMode } from '@mikro-orm/core';
import type { PayoutSnapshot } from '../../contracts/workflows.ts';
import { type Context, callerOf } from '../../platform/context.ts';
import { firstRow, type RawBuilder, sql } from '../../platform/database/sql.ts';
import { forbidden, notFound } from '../../platform/errors.ts';
import { lockBalance } from '../ledger/index.ts';
import { Payout } from './payout.entity.ts';
import { PayoutAttempt } from './payout-attempt.entity.ts';

/** Locks the affiliate's balance, then the payout: the same order everywhere. Throws NOT_FOUND. */
export const lockPayout = async (ctx: Context, payoutId: string): Promise<Payout> => {
  await lockBalance(ctx, sql`select affiliate_id from payout where id = ${payoutId}::uuid`);
  const payout = await ctx.em.findOne(Payout, { id: payoutId }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
  if (!payout) throw notFound('Payout');
  return payout;
};

/** The caller's own payout, locked: 404 when missing, 403 when it belongs to another merchant. */
export const lockOwnPayout = async (ctx: Context, payoutId: string): Promise<Payout> => {
  const payout = await lockPayout(ctx, payoutId);
  if (payout.merchantId !== callerOf(ctx).ownerId) throw forbidden();
  return payout;
};

/** Null before the first attempt. */
export const findLatestAttempt = (ctx: Context, payoutId: string): Promise<PayoutAttempt | null> =>
  ctx.em.findOne(PayoutAttempt, { payoutId }, { orderBy: { n: 'desc' }, refresh: true });

/** Whether a payout of this affiliate has a contradiction that nobody resolved. */
const hasOpenContradiction = (affiliateId: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`exists (select 1 from payout_contradiction k join payout kp on kp.id = k.payout_id
    where k.resolved_at is null and kp.affiliate_id = ${affiliateId})`;

export type AttemptBlock = 'affiliate_blocked' | 'unresolved_contradiction';

/** Why no first attempt of a pending payout may be written, or null. */
export const findAttemptBlock = async (ctx: Context, { affiliateId }: Payout): Promise<AttemptBlock | null> => {
  const row = await firstRow(
    ctx.em,
    sql<{ block: AttemptBlock | null }>`select case when a.status = 'blocked' then 'affiliate_blocked'
        when ${hasOpenContradiction(sql`a.id`)} then 'unresolved_contradiction' end as block
      from affiliate a where a.id = ${affiliateId}::uuid`,
  );
  return row?.block ?? null;
};

/** What the workflow needs to decide on its next step. */
export const getPayoutSnapshot = async (ctx: Context, payoutId: string): Promise<PayoutSnapshot> => {
  const row = await firstRow(
    ctx.em,
    sql<PayoutSnapshot>`select p.status, a.id as "attemptId", coalesce(a.n, 0) as attempts,
        exists (select 1 from rail_notification n where n.payout_id = p.id and n.handled_at is null) as "notificationPending",
        p.needs_attention as "needsAttention", p.review_reason as "reviewReason", p.failure_code as "failureCode",
        a.outcome as "attemptOutcome", coalesce(a.send_count, 0) as "sendCount", a.failure_code as "railReason",
        to_char(a.resend_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "resendAt",
        case when p.status = 'pending' and ${hasOpenContradiction(sql`p.affiliate_id`)}
          then 'unresolved_contradiction' end as "onHold"
      from payout p left join payout_attempt a on a.payout_id = p.id
        and a.n = (select max(n) from payout_attempt where payout_id = p.id)
      where p.id = ${payoutId}::uuid`,
  );
  if (!row) throw notFound('Payout');
  return row;
};

export interface PayoutEligibility {
  merchantId: string;
  programId: string;
  profileId: string;
  affiliateStatus: 'approved' | 'blocked';
  currency: string;
  threshold: number;
  inFlight: string | null;
  /** A payout with an open contradiction. */
  unresolved: string | null;
}

/** Everything but money that decides on a new payout. Call it while holding the affiliate's balance lock. */
export const findPayoutEligibility = (ctx: Context, affiliateId: string): Promise<PayoutEligibility | null> =>
  firstRow(
    ctx.em,
    sql<PayoutEligibility>`select a.merchant_id as "merchantId", a.program_id as "programId", a.profile_id as "profileId",
        a.status as "affiliateStatus", p.currency, p.payout_threshold::float8 as threshold,
        (select id from payout o where o.affiliate_id = a.id and o.status in ('pending','processing')) as "inFlight",
        (select k.payout_id from payout_contradiction k join payout o on o.id = k.payout_id
          where k.resolved_at is null and o.affiliate_id = a.id limit 1) as unresolved
      from affiliate a join program p on p.id = a.program_id where a.id = ${affiliateId}::uuid`,
  );
