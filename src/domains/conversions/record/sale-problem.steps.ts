import type { SaleProblemReason } from '../../../contracts/conversions.ts';
import { type Context, emitInternal } from '../../../platform/context.ts';
import { execute, sql } from '../../../platform/database/sql.ts';
import { AppError, type Issue } from '../../../platform/errors.ts';
import { db } from '../../tables.ts';

/** By which a person finds an event at the payment system. */
export interface EventName {
  eventId: string;
  eventType: string;
  objectId: string | null;
}

export interface SaleProblem extends EventName {
  reason: SaleProblemReason;
  /** Paths of the members that could not be used; null for a problem with all of the event. */
  fields?: string[] | null;
  /** The sale that it is about, if one was recorded. */
  saleId?: string;
  /** Which field is wrong, and why. Never a value of the event. */
  detail?: string;
}

/**
 * Stored once per event, and mailed to the merchant. Stripe is told that the event arrived: repeating it for days would not change it.
 * Returns 0 when it was stored before.
 */
export const storeSaleProblem = async (ctx: Context, merchantId: string, problem: SaleProblem): Promise<number> => {
  const id = ctx.ids.next();
  const { objectId, reason, saleId = null, detail = null } = problem;
  const stored = await execute(
    ctx.em,
    db
      .insertInto('sale_problem')
      .values({ id, merchantId, ...problem, createdAt: ctx.clock.now().toISOString() })
      // What a person has to decide takes the place of what was left out of the same payment, which the sale still shows.
      .onConflict((conflict) =>
        conflict
          .columns(['merchantId', 'eventId'])
          .doUpdateSet({ objectId, reason, saleId, detail })
          .where('sale_problem.reason', '=', 'UNUSABLE_FIELDS')
          .where(sql<boolean>`excluded.reason <> 'UNUSABLE_FIELDS'`),
      ),
  );
  if (stored > 0) await emitInternal(ctx, { type: 'sale_problem.stored', merchantId });
  return stored;
};

/** Messages name fields and no values. */
export const detailOfError = (error: unknown): string => {
  if (!(error instanceof AppError)) return '';
  const [issue] = Array.isArray(error.details?.['issues']) ? (error.details['issues'] as Issue[]) : [];
  return issue ? `${issue.path} ${issue.message}` : error.message;
};

/** What was unclear about a sale, or the one problem of an event, is clear now. */
export const closeProblems = (
  ctx: Context,
  of: { saleId: string } | { merchantId: string; eventId: string },
  note: string,
): Promise<number> => {
  const open = db
    .updateTable('sale_problem')
    .set({ resolvedAt: ctx.clock.now().toISOString(), note })
    .where('resolvedAt', 'is', null);
  return execute(
    ctx.em,
    'saleId' in of
      ? open.where('saleId', '=', of.saleId)
      : open.where('merchantId', '=', of.merchantId).where('eventId', '=', of.eventId),
  );
};

/** What the event contradicts or violates; null for a fault, which Stripe has to repeat. */
export const problemReasonOf = (error: unknown): SaleProblemReason | null => {
  if (!(error instanceof AppError)) return null;
  if (error.code === 'VALIDATION_ERROR') return 'REJECTED';
  if (error.code !== 'CONFLICT') return null;
  return error.details?.['reason'] === 'PAYLOAD_MISMATCH' ? 'PAYLOAD_MISMATCH' : 'REJECTED';
};
