import { LockMode } from '@mikro-orm/core';
import type { PayoutSnapshot } from '../../contracts/workflows.ts';
import { type Context, callerOf } from '../../platform/context.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import { forbidden, notFound } from '../../platform/errors.ts';
import { lockBalance } from '../ledger/index.ts';
import { Payout } from './payout.entity.ts';
import { PayoutAttempt } from './payout-attempt.entity.ts';

/** Locks the membership's money, then the payout: the same order everywhere. Null when there is no such payout. */
export const lockPayout = async (ctx: Context, payoutId: string): Promise<Payout | null> => {
  await lockBalance(ctx, sql`select affiliate_id from payout where id = ${payoutId}::uuid`);
  return ctx.em.findOne(Payout, { id: payoutId }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
};

/** The caller's own payout, locked: 404 when missing, 403 when somebody else's. */
export const lockOwnPayout = async (ctx: Context, payoutId: string): Promise<Payout> => {
  const payout = await lockPayout(ctx, payoutId);
  if (!payout) throw notFound('Payout');
  if (payout.merchantId !== callerOf(ctx).ownerId) throw forbidden();
  return payout;
};

export const newestAttempt = (ctx: Context, payoutId: string): Promise<PayoutAttempt | null> =>
  ctx.em.findOne(PayoutAttempt, { payoutId }, { orderBy: { n: 'desc' }, refresh: true });

/** What the story needs to know to go on. */
export const snapshotOf = async (ctx: Context, payoutId: string): Promise<PayoutSnapshot> => {
  const row = await firstRow(
    ctx.em,
    sql<PayoutSnapshot>`select p.status, a.id as "attemptId", coalesce(a.n, 0) as attempts,
        coalesce(a.outcome in ('unknown','accepted'), false) as "lookUp",
        exists (select 1 from rail_notification n where n.payout_id = p.id and n.handled_at is null) as "notificationPending",
        p.needs_attention as "needsAttention", p.failure_code as "failureCode"
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
}

/** Everything but money that decides on a new payout, in one look. Read it under the membership's balance lock. */
export const findPayoutEligibility = (ctx: Context, affiliateId: string): Promise<PayoutEligibility | null> =>
  firstRow(
    ctx.em,
    sql<PayoutEligibility>`select a.merchant_id as "merchantId", a.program_id as "programId", a.profile_id as "profileId",
        a.status as "affiliateStatus", p.currency, p.payout_threshold::float8 as threshold,
        (select id from payout o where o.affiliate_id = a.id and o.status in ('pending','processing')) as "inFlight"
      from affiliate a join program p on p.id = a.program_id where a.id = ${affiliateId}::uuid`,
  );
