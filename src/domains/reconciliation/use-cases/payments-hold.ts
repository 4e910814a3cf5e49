import type { Context } from '../../../platform/context.ts';
import { emitInternal, inTransaction } from '../../../platform/context.ts';
import { execute, firstRow, rows, sql } from '../../../platform/database/sql.ts';
import { conflict } from '../../../platform/errors.ts';
import { findPaymentsHold, liftPaymentsHold, type Rails, signalAllPending } from '../../payouts/index.ts';
import { db } from '../../tables.ts';
import { findOpenQuestions, type OpenQuestions } from '../clean-books.queries.ts';

// A template: a page of ids with an optional beginning.

const isAnswered = ({ uncompared, missingHere }: OpenQuestions): boolean => uncompared.length === 0 && missingHere === 0;

/** After a mere failover, payments go on once the books agree. Returns whether they do now. */
export const liftAfterFailover = async (ctx: Context, rails: Pick<Rails, 'find'>): Promise<boolean> => {
  const hold = await findPaymentsHold(ctx);
  if (hold?.cause !== 'failover' || !isAnswered(await findOpenQuestions(ctx, rails, hold))) return false;
  return resume(ctx, hold.id, 'Every comparison after the failover was clean');
};

export interface ResumeInput {
  /** The operator takes the word of others for what no list can show. */
  accept: boolean;
  note?: string | undefined;
}

export interface Resumed {
  ok: boolean;
  /** Null when payments were not held. */
  questions: OpenQuestions | null;
}

/** Lets payments go on after a clean report, or because the operator says so. With open questions nothing changes. */
export const resumePayments = async (
  ctx: Context,
  rails: Pick<Rails, 'find'>,
  { accept, note }: ResumeInput,
): Promise<Resumed> => {
  const hold = await findPaymentsHold(ctx);
  if (!hold) return { ok: true, questions: null };
  const questions = await findOpenQuestions(ctx, rails, hold);
  const isClean = isAnswered(questions) && questions.withoutList.length === 0;
  if (!isClean && !accept) return { ok: false, questions };
  const text = note ?? (isClean ? 'The comparison was clean' : 'Accepted by the operator');
  if (!(await resume(ctx, hold.id, text))) throw conflict('BUSY', 'Payments were resumed by somebody else at the same time');
  return { ok: true, questions };
};

/** Pending payouts of one transaction. */
const PAGE = 500;

/** Payouts that are not told, because the process dies here, try again by themselves. */
const resume = async (ctx: Context, id: string, note: string): Promise<boolean> => {
  if (!(await liftPaymentsHold(fresh(ctx), { id, note }))) return false;
  for (let after: string | null = null; ; ) {
    const page: { after: string | null; limit: number } = { after, limit: PAGE };
    after = await inTransaction(fresh(ctx), (ctx) => signalAllPending(ctx, page));
    if (after === null) return true;
  }
};

const fresh = (ctx: Context): Context => ({ ...ctx, em: ctx.em.fork() as Context['em'] });

/** Merchants of one transaction. */
const TOLD_AT_ONCE = 50;

/** Tells merchants who pay that nothing is paid: a page of them. Returns how many; each is told once for a hold. */
export const tellOfHeldPayments = (ctx: Context): Promise<number> =>
  inTransaction(ctx, async (ctx) => {
    const hold = await firstRow(
      ctx.em,
      db
        .selectFrom('payments_hold')
        .select(['id', 'cause', 'toldAfter'])
        .where('liftedAt', 'is', null)
        .where('toldAt', 'is', null)
        .forUpdate()
        .skipLocked(),
    );
    if (!hold) return 0;
    const merchants = await rows(
      ctx.em,
      sql<{ id: string }>`select id from merchant m where (${hold.toldAfter}::uuid is null or id > ${hold.toldAfter}::uuid)
        and exists (select from payout p where p.merchant_id = m.id) order by id limit ${TOLD_AT_ONCE}`,
    );
    for (const { id: merchantId } of merchants)
      await emitInternal(ctx, { type: 'payments.held', holdId: hold.id, merchantId, cause: hold.cause });
    const isDone = merchants.length < TOLD_AT_ONCE;
    const told = { toldAfter: merchants.at(-1)?.id ?? hold.toldAfter, toldAt: isDone ? ctx.clock.now().toISOString() : null };
    await execute(ctx.em, db.updateTable('payments_hold').set(told).where('id', '=', hold.id));
    return merchants.length;
  });
