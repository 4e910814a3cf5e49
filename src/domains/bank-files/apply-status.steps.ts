import type { BankFileStatus } from '../../contracts/bank-files.ts';
import type { Context } from '../../platform/context.ts';
import { execute } from '../../platform/database/sql.ts';
import type { StatusReport, Verdict } from '../payouts/index.ts';
import { db } from '../tables.ts';
import { settleSums } from './apply-statement.steps.ts';
import { type FiledLine, isEndedHere, listLinesOf } from './file-lines.queries.ts';
import { hearLines, isAcceptance, type LineWord } from './hear-line.steps.ts';
import { type ImportReport, noteUnmatched } from './import-report.rules.ts';

interface StatusInput {
  about: { id: string; messageId: string; status: BankFileStatus };
  said: StatusReport;
  report: ImportReport;
}

/** What a bank says about a file: line by line, and of all the others what it says about the whole. Returns how many there was no time for. */
export const applyStatusReport = async (ctx: Context, { about, said, report }: StatusInput): Promise<number> => {
  const lines = new Map((await listLinesOf(ctx, about.id)).map((line) => [line.idempotencyKey, line]));
  const { whole } = said;
  // With a fault, it is about a second copy: the first one keeps its state.
  if (whole?.outcome === 'noted' && whole.fault) noteUnmatched(report, about.messageId, 'duplicate_file');
  else if (whole) await noteState(ctx, about.id, whole);
  const words: LineWord[] = [];
  const named = new Set<string>();
  for (const { idempotencyKey, ...verdict } of said.lines) {
    const line = lines.get(idempotencyKey);
    named.add(idempotencyKey);
    if (line) words.push(wordOf(line, verdict));
    else noteUnmatched(report, idempotencyKey, 'unknown_payment');
  }
  if (whole && whole.outcome !== 'noted')
    for (const line of lines.values())
      if (!named.has(line.idempotencyKey) && concerns(line, whole)) words.push(wordOf(line, whole));
  const remaining = await hearLines(ctx, words, report);
  return remaining > 0 ? remaining : settleSums(ctx, about.id, report);
};

/** A payment that was ended here counts when the bank has it after all. */
const concerns = (line: FiledLine, whole: Verdict): boolean =>
  line.outcome === 'unknown' || line.outcome === 'accepted' || (isAcceptance(whole) && isEndedHere(line));

const wordOf = (line: FiledLine, verdict: Verdict): LineWord => ({
  line,
  verdict,
  references: { file: line.messageId },
  money: null,
  at: null,
  problem: null,
});

const noteState = async (ctx: Context, id: string, { state }: Verdict): Promise<void> => {
  const at = ctx.clock.now().toISOString();
  await execute(ctx.em, db.updateTable('bank_file').set({ bankState: state, bankStateAt: at }).where('id', '=', id));
};
