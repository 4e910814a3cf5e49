import type { Context } from '../../../platform/context.ts';
import { readAmount } from '../../../platform/csv/read-amount.ts';
import { AppError, conflict, invariant } from '../../../platform/errors.ts';
import { isSameReference, type PaymentResult, parseResults, type ResultLine, recordResult } from '../../payouts/index.ts';
import { assertOwnRun, checkManual, findPayouts, type ManualPayout, type Outcome, onEachPayout } from '../each-payout.steps.ts';
import { type Done, MAX_RESULT_LINES, type ResultsReport, toItem, toReport } from '../pay-by-hand.wire.ts';

const NOTE = 'Imported result';

/**
 * Records what a bank or provider says about manual payouts, of one run or of any, and says what became of each line. Of several lines
 * about one payout, the first counts. A line that was imported before changes nothing.
 */
export const importPayoutResults = async (
  ctx: Context,
  input: { runId?: string | undefined; csv: string; withinMs?: number | undefined },
): Promise<ResultsReport> => {
  const { runId, csv, withinMs } = input;
  if (runId !== undefined) await assertOwnRun(ctx, runId);
  const lines = parseResults(csv, MAX_RESULT_LINES);
  const found = await findPayouts(ctx, [...new Set(lines.flatMap(({ payoutId }) => payoutId ?? []))]);
  const first = new Map<string, ResultLine>();
  const refused = new Map<ResultLine, AppError>();
  const accepted = new Map<string, { payout: ManualPayout; result: PaymentResult }>();
  for (const line of lines) {
    const earlier = line.payoutId === null ? undefined : first.get(line.payoutId);
    if (line.payoutId !== null && !earlier) first.set(line.payoutId, line);
    const checked = checkLine(ctx, { line, earlier, payout: found.get(line.payoutId ?? ''), runId });
    if (checked instanceof AppError) refused.set(line, checked);
    else accepted.set(checked.payout.id, checked);
  }
  const worked = await onEachPayout<Done>(ctx, {
    payouts: [...accepted.values()].map(({ payout }) => payout),
    withinMs,
    work: (ctx, id) => applyResult(ctx, accepted.get(id)?.result),
  });
  const outcomes = new Map(worked.outcomes.map((outcome) => [outcome.payoutId, outcome]));
  const shown = lines.map((line) => ({
    line: line.line,
    ...toItem(line.payoutId, refused.get(line) ?? outcomeOf(outcomes.get(line.payoutId ?? ''))),
  }));
  const { items: _items, ...counts } = toReport(worked);
  return { ...counts, refused: shown.filter(({ result }) => result === 'refused').length, lines: shown };
};

interface LineInput {
  line: ResultLine;
  /** The first line about the same payout. */
  earlier: ResultLine | undefined;
  payout: ManualPayout | undefined;
  runId: string | undefined;
}

/** The payout of a line with what is to be recorded, or why nothing is. */
const checkLine = (
  ctx: Context,
  { line, earlier, payout, runId }: LineInput,
): { payout: ManualPayout; result: PaymentResult } | AppError => {
  if ('refused' in line) return line.refused;
  const checked = checkManual(ctx, payout, runId);
  if (checked instanceof AppError) return checked;
  if (earlier) return repeatedLine(earlier, line.result);
  return differsIn(line.result, checked)
    ? conflict('AMOUNT_DIFFERS', 'The payout has another amount or currency than this line')
    : { payout: checked, result: line.result };
};

const repeatedLine = (earlier: ResultLine, { result, bankReference }: PaymentResult): AppError => {
  const before = 'result' in earlier ? earlier.result : null;
  const isSecondPayment =
    before?.result === 'paid' &&
    result === 'paid' &&
    before.bankReference !== undefined &&
    bankReference !== undefined &&
    !isSameReference(before.bankReference, bankReference);
  return isSecondPayment
    ? conflict('PAID_TWICE', 'An earlier line says that the payout was paid with another reference')
    : new AppError('VALIDATION_ERROR', 'The payout is in an earlier line too');
};

/** What the line leaves out is not compared. */
const differsIn = ({ amount, currency }: PaymentResult, payout: ManualPayout): boolean =>
  (currency ?? payout.currency) !== payout.currency ||
  (amount !== undefined && readAmount(amount, payout.currency) !== payout.amount);

const outcomeOf = (outcome: Outcome<Done> | undefined): AppError | Done | null => {
  if (outcome === undefined) return null;
  return 'done' in outcome ? outcome.done : outcome.refused;
};

const applyResult = async (ctx: Context, given: PaymentResult | undefined): Promise<Done> => {
  invariant(given, 'only accepted lines are applied');
  const { payoutId: id, result, bankReference, executedAt } = given;
  return recordResult(ctx, { id, result, bankReference, executedAt, note: NOTE });
};
