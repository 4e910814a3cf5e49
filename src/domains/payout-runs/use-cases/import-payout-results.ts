import type { Context } from '../../../platform/context.ts';
import { AppError, invalidField } from '../../../platform/errors.ts';
import { type PaymentResult, parseResults, recordResult } from '../../payouts/index.ts';
import { assertOwnRun, checkManual, findPayouts, onEachPayout } from '../each-payout.ts';
import { type Done, MAX_RESULT_LINES, type ResultsReport, toItem, toReport } from '../pay-by-hand.wire.ts';

/**
 * Records what a bank or provider says about manual payouts, of one run or of any, and says what became of each line. A line that was
 * imported before changes nothing.
 */
export const importPayoutResults = async (
  ctx: Context,
  input: { runId?: string | undefined; csv: string; withinMs?: number | undefined },
): Promise<ResultsReport> => {
  const { runId, csv, withinMs } = input;
  if (runId !== undefined) await assertOwnRun(ctx, runId);
  const lines = parseResults(csv);
  if (!lines) throw invalidField('csv', 'must have a header with payoutId, bankReference, executedAt and result');
  if (lines.length > MAX_RESULT_LINES) throw invalidField('csv', `must have at most ${MAX_RESULT_LINES} lines`);
  const results = lines.flatMap((line) => ('result' in line ? [line.result] : []));
  const found = await findPayouts(ctx, [...new Set(results.map(({ payoutId }) => payoutId))]);
  const byId = new Map<string, PaymentResult>();
  const refused = new Map<string, AppError>();
  for (const result of results) {
    const checked = checkManual(ctx, found.get(result.payoutId), runId);
    if (checked instanceof AppError) refused.set(result.payoutId, checked);
    // Of several lines about one payout, the first counts.
    else if (!byId.has(result.payoutId)) byId.set(result.payoutId, result);
  }
  const payouts = [...byId.keys()].flatMap((id) => found.get(id) ?? []);
  const worked = await onEachPayout<Done>(ctx, { payouts, withinMs, work: (ctx, id) => applyResult(ctx, id, byId.get(id)) });
  for (const outcome of worked.outcomes) if ('refused' in outcome) refused.set(outcome.payoutId, outcome.refused);
  const done = new Map(
    worked.outcomes.flatMap((outcome) => ('done' in outcome ? [[outcome.payoutId, outcome.done] as const] : [])),
  );
  const shown = lines.map((line) => {
    if (!('result' in line)) return { line: line.line, ...toItem(line.payoutId, invalidField(line.problem, 'is not valid')) };
    const { payoutId } = line.result;
    const isFirst = (byId.get(payoutId) ?? line.result) === line.result;
    const problem = refused.get(payoutId) ?? (isFirst ? null : invalidField('payoutId', 'is in an earlier line too'));
    return { line: line.line, ...toItem(payoutId, problem ?? done.get(payoutId) ?? null) };
  });
  const { items: _items, ...counts } = toReport(worked);
  return { ...counts, refused: shown.filter(({ result }) => result === 'refused').length, lines: shown };
};

const NOTE = 'Imported result';

const applyResult = (ctx: Context, id: string, given: PaymentResult | undefined): Promise<Done> => {
  const { result = 'paid', bankReference, executedAt } = given ?? {};
  return recordResult(ctx, { id, result, bankReference, executedAt, note: NOTE });
};
