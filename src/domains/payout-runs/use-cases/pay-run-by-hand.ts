import type { PayoutStatus } from '../../../contracts/payouts.ts';
import type { Context } from '../../../platform/context.ts';
import { AppError, conflict, invalidField } from '../../../platform/errors.ts';
import type { AmountsByCurrency } from '../../../platform/money.ts';
import { completePayout, failPayout, processPayout, returnPayout } from '../../payouts/index.ts';
import {
  assertOwnRun,
  assertRunGoesOn,
  checkManual,
  findPayouts,
  listManualOfRun,
  type ManualPayout,
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

/** Works on payouts that a request names: of those of others, and of providers, it says why not. One that is done is unchanged. */
const onChosen = async (
  ctx: Context,
  { id: runId, payoutIds }: Chosen,
  { done, work }: { done(payout: ManualPayout): boolean; work(ctx: Context, id: string): Promise<{ status: PayoutStatus }> },
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
    async work(ctx, id) {
      const before = (await findPayouts(ctx, [id])).get(id);
      if (before && done(before)) return { status: before.status, unchanged: true };
      return { status: (await work(ctx, id)).status, unchanged: false };
    },
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
  return onChosen(
    ctx,
    { id, payoutIds: chosen },
    {
      done: ({ status }) => status === 'completed',
      work: (ctx, payoutId) => completePayout(ctx, { id: payoutId, note, executedAt }),
    },
  );
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
  return onChosen(ctx, input, {
    done: ({ status }) => status === 'failed',
    work: (ctx, id) => failPayout(ctx, { id, note: input.note }),
  });
};

/** Records that payments of a run came back. */
export const returnRunPayouts = async (
  ctx: Context,
  input: Chosen & { note: string; occurredAt?: string | undefined },
): Promise<BulkReport> => {
  await assertOwnRun(ctx, input.id);
  const { note, occurredAt } = input;
  return onChosen(ctx, input, { done: () => false, work: (ctx, id) => returnPayout(ctx, { id, note, occurredAt }) });
};
