import type { StripeProblemReason } from '../../../contracts/conversions.ts';
import type { Context } from '../../../platform/context.ts';
import { execute, rows, sql, toIso } from '../../../platform/database/sql.ts';
import { AppError } from '../../../platform/errors.ts';

export interface StripeProblem {
  eventId: string;
  eventType: string;
  objectId: string | null;
  reason: StripeProblemReason;
}

/** Stored once per event. Stripe is told that the event arrived: repeating it for days would not change it. */
export const storeStripeProblem = (ctx: Context, merchantId: string, problem: StripeProblem): Promise<number> =>
  execute(
    ctx.em,
    sql`insert into stripe_problem (id, merchant_id, event_id, event_type, object_id, reason, created_at) values
      (${ctx.ids.next()}::uuid, ${merchantId}::uuid, ${problem.eventId}, ${problem.eventType}, ${problem.objectId}, ${problem.reason},
       ${ctx.clock.now().toISOString()}::timestamptz)
      on conflict (merchant_id, event_id) do nothing`,
  );

/** What the event contradicts or violates; null for a fault, which Stripe has to repeat. */
export const problemReasonOf = (error: unknown): StripeProblemReason | null => {
  if (!(error instanceof AppError)) return null;
  if (error.code === 'VALIDATION_ERROR') return 'REJECTED';
  if (error.code !== 'CONFLICT') return null;
  return error.details?.['reason'] === 'PAYLOAD_MISMATCH' ? 'PAYLOAD_MISMATCH' : 'REJECTED';
};

export interface OpenStripeProblem extends StripeProblem {
  id: string;
  merchantId: string;
  createdAt: string;
}

/** Problems that no person resolved, oldest first. */
export const listStripeProblems = async (ctx: Context, { limit }: { limit: number }): Promise<OpenStripeProblem[]> => {
  const open = await rows(
    ctx.em,
    sql<OpenStripeProblem>`select id, merchant_id as "merchantId", event_id as "eventId", event_type as "eventType",
        object_id as "objectId", reason, created_at as "createdAt"
      from stripe_problem where resolved_at is null order by created_at, id limit ${limit}`,
  );
  return open.map((problem) => ({ ...problem, createdAt: toIso(problem.createdAt) }));
};
