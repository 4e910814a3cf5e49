import type { Context } from '../../../platform/context.ts';
import { AppError, invalidField } from '../../../platform/errors.ts';
import { processPayout, type ResultInput, recordResult } from '../../payouts/index.ts';
import {
  assertOwnRun,
  assertRunGoesOn,
  checkManual,
  findPayouts,
  listManualOfRun,
  type Outcome,
  onEachPayout,
} from '../each-payout.steps.ts';
import { type BulkReport, type Done, toReport } from '../pay-by-hand.wire.ts';
import { type Seen, seenAmong, seenByDigest } from '../seen-payouts.steps.ts';

/** Marks all pending manual payouts of a run as in progress. The second call finds none. Throws RUN_PAUSED. */
export const processRunPayouts = async (ctx: Context, { id: runId }: { id: string }): Promise<BulkReport> => {
  await assertRunGoesOn(ctx, runId);
  const payouts = await listManualOfRun(ctx, runId, ['pending']);
  const work = async (ctx: Context, id: string): Promise<Done> => ({
    status: (await processPayout(ctx, { id })).status,
    unchanged: false,
  });
  return toReport(await onEachPayout(ctx, { payouts, runId, work }));
};

interface Chosen {
  id: string;
  payoutIds: readonly string[];
  withinMs?: number | undefined;
}

/** Records a result of payouts that a request names: of those of others, and of providers, it says why not. */
const recordChosen = async (
  ctx: Context,
  { id: runId, payoutIds, withinMs }: Chosen,
  result: Omit<ResultInput, 'id'>,
): Promise<BulkReport> => {
  const found = await findPayouts(ctx, payoutIds);
  const refused: Outcome<Done>[] = [];
  const payouts = [...new Set(payoutIds)].flatMap((payoutId) => {
    const checked = checkManual(ctx, found.get(payoutId), runId);
    if (!(checked instanceof AppError)) return [checked];
    refused.push({ payoutId, refused: checked });
    return [];
  });
  const { outcomes, remaining } = await onEachPayout<Done>(ctx, {
    payouts,
    withinMs,
    work: (ctx, id) => recordResult(ctx, { ...result, id }),
  });
  return toReport({ outcomes: [...refused, ...outcomes], remaining });
};

interface CompleteInput extends Seen {
  id: string;
  payoutIds?: readonly string[] | undefined;
  note?: string | undefined;
  executedAt?: string | undefined;
  withinMs?: number | undefined;
}

/**
 * Marks manual payouts of a run as paid: those that are named, or those of a digest. Throws RUN_CHANGED, and nothing changes, when what the
 * person saw is not so. A repeat goes on with what is left.
 */
export const completeRunPayouts = async (ctx: Context, input: CompleteInput): Promise<BulkReport> => {
  const { id, note, executedAt, withinMs } = input;
  await assertOwnRun(ctx, id);
  const payoutIds = await chosenOf(ctx, input);
  return recordChosen(ctx, { id, payoutIds, withinMs }, { result: 'paid', note, executedAt });
};

const chosenOf = (ctx: Context, { id, payoutIds, digest, items, total }: CompleteInput): Promise<string[]> => {
  if (payoutIds) return seenAmong(ctx, id, payoutIds, { digest, items, total });
  if (digest === undefined) throw invalidField('payoutIds', 'is required without digest');
  return seenByDigest(ctx, id, { digest, items, total });
};

/** Marks manual payouts of a run as failed: their amounts are payable again. */
export const failRunPayouts = async (ctx: Context, input: Chosen & { note?: string | undefined }): Promise<BulkReport> => {
  await assertOwnRun(ctx, input.id);
  return recordChosen(ctx, input, { result: 'failed', note: input.note });
};

/** Records that payments of a run came back. */
export const returnRunPayouts = async (
  ctx: Context,
  input: Chosen & { note: string; occurredAt?: string | undefined },
): Promise<BulkReport> => {
  await assertOwnRun(ctx, input.id);
  const { note, occurredAt } = input;
  return recordChosen(ctx, input, { result: 'returned', note, occurredAt });
};
