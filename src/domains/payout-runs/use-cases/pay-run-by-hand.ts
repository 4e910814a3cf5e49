import type { Context } from '../../../platform/context.ts';
import { AppError, conflict, invalidField } from '../../../platform/errors.ts';
import type { AmountsByCurrency } from '../../../platform/money.ts';
import { processPayout, type ResultInput, recordResult } from '../../payouts/index.ts';
import {
  assertOwnRun,
  assertRunGoesOn,
  checkManual,
  findPayouts,
  listManualOfRun,
  type Outcome,
  onEachPayout,
} from '../each-payout.ts';
import { type BulkReport, type Done, toReport } from '../pay-by-hand.wire.ts';

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
}

/** Records a result of payouts that a request names: of those of others, and of providers, it says why not. */
const recordChosen = async (
  ctx: Context,
  { id: runId, payoutIds }: Chosen,
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
    work: (ctx, id) => recordResult(ctx, { ...result, id }),
  });
  return toReport({ outcomes: [...refused, ...outcomes], remaining });
};

interface CompleteInput {
  id: string;
  payoutIds?: readonly string[] | undefined;
  items?: number | undefined;
  total?: AmountsByCurrency | undefined;
  note?: string | undefined;
  executedAt?: string | undefined;
}

/**
 * Marks manual payouts of a run as paid: those that are named, or all that are processing when they are as many and as much as the
 * person saw. Otherwise throws RUN_CHANGED, and nothing changes.
 */
export const completeRunPayouts = async (ctx: Context, input: CompleteInput): Promise<BulkReport> => {
  const { id, payoutIds, items, total, note, executedAt } = input;
  await assertOwnRun(ctx, id);
  const chosen = payoutIds ?? (await allProcessing(ctx, id, { items, total }));
  return recordChosen(ctx, { id, payoutIds: chosen }, { result: 'paid', note, executedAt });
};

const allProcessing = async (
  ctx: Context,
  runId: string,
  seen: { items?: number | undefined; total?: AmountsByCurrency | undefined },
): Promise<string[]> => {
  if (seen.items === undefined || !seen.total) throw invalidField('payoutIds', 'is required without items and total');
  const processing = await listManualOfRun(ctx, runId, ['processing']);
  const total: Record<string, number> = {};
  for (const { currency, amount } of processing) total[currency] = (total[currency] ?? 0) + amount;
  const currencies = new Set([...Object.keys(total), ...Object.keys(seen.total)]);
  const isSame = [...currencies].every((currency) => (total[currency] ?? 0) === (seen.total?.[currency] ?? 0));
  if (processing.length !== seen.items || !isSame)
    throw conflict('RUN_CHANGED', 'The payouts that are processing are not those of items and total', {
      items: processing.length,
      total,
    });
  return processing.map(({ id }) => id);
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
