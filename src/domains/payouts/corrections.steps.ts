import type { CorrectionCause } from '../../contracts/payouts.ts';
import type { CorrectionSnapshot } from '../../contracts/workflows/payout-correction.ts';
import { actorName, type Context } from '../../platform/context.ts';
import { firstRow, isoOf, sql } from '../../platform/database/sql.ts';
import { notFound } from '../../platform/errors.ts';
import { jsonOf } from '../../platform/outbox/outbox.ts';
import { roleOfActor } from '../auth/index.ts';
import { db } from '../tables.ts';
import type { Payout } from './payout.entity.ts';
import type { PayoutAttempt } from './payout-attempt.entity.ts';
import { PayoutCorrection } from './payout-correction.entity.ts';
import type { RailStatusUpdate } from './rails/rail.ts';

interface CorrectionFacts {
  cause: CorrectionCause;
  contradiction?: number;
  note?: string | undefined;
  evidence?: string | undefined;
  bankReference?: string | undefined;
  occurredAt?: Date | undefined;
}

/** Numbers are unique because the caller holds the payout's lock. `from` is the status before the correction. */
export const addCorrection = async (
  ctx: Context,
  { id }: Payout,
  attempt: PayoutAttempt,
  { from, ...facts }: CorrectionFacts & { from: 'completed' | 'failed' },
): Promise<PayoutCorrection> => {
  const { cause, contradiction = null, note = null, evidence = null, bankReference = null, occurredAt = null } = facts;
  const latest = await firstRow(
    ctx.em,
    db
      .selectFrom('payout_correction')
      .select(({ fn }) => fn.max('n').as('n'))
      .where('payoutId', '=', id),
  );
  return ctx.em.create(PayoutCorrection, {
    payoutId: id,
    n: (latest?.n ?? 0) + 1,
    ...{ cause, contradiction, note, evidence, bankReference, occurredAt },
    attemptId: attempt.id,
    status: 'open',
    fromStatus: from,
    requestedBy: actorName(ctx.actor),
    requestedAt: ctx.clock.now(),
  });
};

/** The return of an attempt that is not booked yet. The caller holds the payout's lock. */
export const findOpenReturn = (ctx: Context, { id }: PayoutAttempt): Promise<PayoutCorrection | null> =>
  ctx.em.findOne(PayoutCorrection, { attemptId: id, closedAt: null }, { refresh: true });

/** How a payout that is `returned` came back. The caller holds the payout's lock. */
export const findBookedReturn = (ctx: Context, { id }: Payout): Promise<PayoutCorrection | null> =>
  ctx.em.findOne(
    PayoutCorrection,
    { payoutId: id, status: 'booked', toStatus: 'failed' },
    { orderBy: { n: 'desc' }, refresh: true },
  );

/**
 * Whether a report denies a return that only a person's evidence proved: it says "paid", and occurred after that return was booked.
 * Otherwise it says nothing new, since the money was paid before it came back.
 */
export const isDeniedReturn = async (
  ctx: Context,
  attempt: PayoutAttempt | null,
  { status, occurredAt = ctx.clock.now() }: Pick<RailStatusUpdate, 'status' | 'occurredAt'>,
): Promise<boolean> => {
  if (attempt?.outcome !== 'returned' || status !== 'paid') return false;
  const latest = await firstRow(
    ctx.em,
    db
      .selectFrom('payout_correction')
      .select('evidence')
      .where('attemptId', '=', attempt.id)
      .where('status', '=', 'booked')
      .where('closedAt', '<', occurredAt.toISOString())
      .orderBy('n', 'desc')
      .limit(sql.lit(1)),
  );
  return Boolean(latest?.evidence);
};

/** The caller holds the payout's lock. */
export const getCorrection = async (ctx: Context, payoutId: string, n: number): Promise<PayoutCorrection> => {
  const correction = await ctx.em.findOne(PayoutCorrection, { payoutId, n }, { refresh: true });
  if (!correction) throw notFound('Payout correction');
  return correction;
};

/** What the workflow of a correction shows. A template: the roles of actors are read beside the row. */
export const getCorrectionSnapshot = async (ctx: Context, payoutId: string, n: number): Promise<CorrectionSnapshot> => {
  const row = await firstRow(
    ctx.em,
    sql<{ snapshot: CorrectionSnapshot }>`select ${jsonOf<CorrectionSnapshot>({
      status: sql`k.status`,
      from: sql`k.from_status`,
      to: sql`k.to_status`,
      by: sql`case k.cause when 'rail_return' then null else ${roleOfActor(sql`k.requested_by`, sql`p.merchant_id`)} end`,
      reason: sql`case when k.cause = 'resolution' then null else t.failure_code end`,
      reference: sql`coalesce(k.bank_reference, t.rail_reference)`,
      needsAttention: sql`k.status = 'open' and p.needs_attention`,
      attentionSince: isoOf(sql`case when k.status = 'open' then p.attention_since end`),
      closedAt: isoOf(sql`k.closed_at`),
      run: sql`k.run_id`,
    })} as snapshot from payout_correction k join payout p on p.id = k.payout_id join payout_attempt t on t.id = k.attempt_id
      where k.payout_id = ${payoutId} and k.n = ${n}`,
  );
  if (!row) throw notFound('Payout correction');
  return row.snapshot;
};
