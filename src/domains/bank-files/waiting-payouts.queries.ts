import { type Rail, railsThatBeginWith } from '../../contracts/rails.ts';
import type { Context } from '../../platform/context.ts';
import { firstRow, rows, sql } from '../../platform/database/sql.ts';
import { conflict, notFound } from '../../platform/errors.ts';
import { db } from '../tables.ts';
import { MAX_PAYOUTS } from './bank-files.wire.ts';

/** Payouts of a run, one payout, or all that wait. */
export interface WaitingFilter {
  runId?: string | undefined;
  payoutId?: string | undefined;
}

const FILE_RAILS = railsThatBeginWith('file');

/** What a run pays that still creates payouts: a file of them would be half of the run. */
const ofUnfinished = sql<boolean>`exists (select from payout_run r where r.id = payout.payout_run_id and r.status = 'running'
    and exists (select from payout_run_item i where i.run_id = r.id and i.result = 'planned'))`;

/** Throws RUN_NOT_READY while the run creates payouts. */
export const assertRunHasItsPayouts = async (ctx: Context, runId: string): Promise<void> => {
  const isCreating = sql<boolean>`exists (select from payout_run_item i where i.run_id = payout_run.id and i.result = 'planned')`;
  const creating = db
    .selectFrom('payout_run')
    .select('id')
    .where('id', '=', runId)
    .where('status', '=', 'running')
    .where(isCreating);
  if (await firstRow(ctx.em, creating))
    throw conflict('RUN_NOT_READY', 'The run still creates its payouts; make the file once all of them exist');
};

const waiting = (merchantId: string, { runId, payoutId }: WaitingFilter) => {
  const all = db.selectFrom('payout').where('merchantId', '=', merchantId);
  if (payoutId !== undefined) return all.where('id', '=', payoutId);
  const pending = all.where('status', '=', 'pending').where('rail', 'in', FILE_RAILS.length > 0 ? FILE_RAILS : ['manual']);
  return runId === undefined ? pending.where(({ not }) => not(ofUnfinished)) : pending.where('payoutRunId', '=', runId);
};

/** Reads the payout that a request names. Throws RAIL_NOT_FILE and NOT_FOUND. */
const assertNamed = <Row extends { rail: Rail }>(found: readonly Row[], { payoutId }: WaitingFilter): void => {
  if (payoutId === undefined) return;
  const [one] = found;
  if (!one) throw notFound('Payout');
  if (!FILE_RAILS.includes(one.rail))
    throw conflict('RAIL_NOT_FILE', 'This payout is not paid by a bank file', { rail: one.rail });
};

/** Payouts that wait for a file, in the order in which balances are locked. Throws RAIL_NOT_FILE and NOT_FOUND for one of another kind. */
export const listWaiting = async (ctx: Context, merchantId: string, filter: WaitingFilter) => {
  const found = await rows(
    ctx.em,
    waiting(merchantId, filter)
      .select(['id', 'affiliateId', 'payoutRunId as runId', 'currency', 'status', 'rail'])
      .orderBy('affiliateId')
      .limit(MAX_PAYOUTS),
  );
  assertNamed(found, filter);
  return found;
};

/** The same with what a file would say about them, and what is known to stand against them. */
export const listPlanned = async (ctx: Context, merchantId: string, filter: WaitingFilter) => {
  const isPaused = sql<boolean>`exists (select from payout_run r where r.id = payout.payout_run_id and r.status = 'paused')`;
  const found = await rows(
    ctx.em,
    waiting(merchantId, filter)
      .select(['id', 'affiliateCode', 'amount', 'currency', 'details', 'rail', 'status'])
      .select([isPaused.as('isPaused'), 'approvalRequiredAt', 'approvedAt'])
      .orderBy('affiliateId')
      .limit(MAX_PAYOUTS),
  );
  assertNamed(found, filter);
  return found.filter(({ status }) => status === 'pending');
};
