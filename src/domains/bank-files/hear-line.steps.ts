import type { BookingProblem } from '../../contracts/bank-files.ts';
import type { Context } from '../../platform/context.ts';
import { execute } from '../../platform/database/sql.ts';
import { onEachPayout } from '../payout-runs/index.ts';
import { type BankWord, hearBank, type Verdict } from '../payouts/index.ts';
import { db } from '../tables.ts';
import type { FiledLine } from './file-lines.queries.ts';
import { HEARD_OUTCOMES, type HeardOutcome, type ImportReport, noteChanged, noteUnmatched } from './import-report.rules.ts';

/** What a bank says about a payment, and what is stored beside it in the same transaction. */
export interface LineWord {
  line: FiledLine;
  verdict: Verdict;
  references: BankWord['references'];
  money: BankWord['money'];
  at: Date | null;
  /** Why nothing follows from it by itself. */
  problem: BookingProblem | null;
  /** Returns false when this was done before: then nothing follows. */
  record?(ctx: Context): Promise<boolean>;
}

/** From here on, a file is never discarded. */
export const isAcceptance = ({ outcome }: Verdict): boolean =>
  outcome === 'accepted' || outcome === 'paid' || outcome === 'returned';

/** Applies words about payments, 100 in a transaction. Returns how many there was no time for. */
export const hearLines = async (ctx: Context, words: readonly LineWord[], report: ImportReport): Promise<number> => {
  // Several about one payment come one after the other, in the order of the file.
  const rounds: Map<string, LineWord>[] = [];
  for (const word of words) {
    const round = rounds.find((known) => !known.has(word.line.payoutId));
    if (round) round.set(word.line.payoutId, word);
    else rounds.push(new Map([[word.line.payoutId, word]]));
  }
  let left = 0;
  for (const round of rounds) left += left > 0 ? round.size : await hearRound(ctx, round, report);
  return left;
};

const heardOf = (verdict: Verdict | undefined): HeardOutcome => {
  const outcome = verdict?.outcome ?? 'noted';
  const found = HEARD_OUTCOMES.find((heard) => heard === outcome);
  return found ?? 'toDecide';
};

const hearRound = async (ctx: Context, words: ReadonlyMap<string, LineWord>, report: ImportReport): Promise<number> => {
  const payouts = [...words.values()].map(({ line }) => ({
    id: line.payoutId,
    affiliateId: line.affiliateId,
    runId: line.runId,
  }));
  const work = async (ctx: Context, id: string): Promise<boolean> => {
    const word = words.get(id);
    return word ? hearLine(ctx, word) : false;
  };
  const { outcomes, remaining } = await onEachPayout(ctx, { payouts, work });
  for (const outcome of outcomes) {
    const word = words.get(outcome.payoutId);
    if ('refused' in outcome) noteUnmatched(report, word?.line.messageId ?? '', outcome.refused.code);
    else if (outcome.done && word?.problem) noteUnmatched(report, word.line.idempotencyKey, word.problem);
    else if (outcome.done) noteChanged(report, heardOf(word?.verdict));
    else report.unchanged += 1;
  }
  return remaining.length;
};

const hearLine = async (ctx: Context, { line, verdict, references, money, at, record }: LineWord): Promise<boolean> => {
  if (record && !(await record(ctx))) return false;
  const isCheckKnown = line.payeeCheck === verdict.payeeCheck;
  const isChanged = await hearBank(ctx, { ...verdict, payoutId: line.payoutId, references, money, at, isCheckKnown });
  const reason = verdict.fault?.code ?? null;
  const isNews = line.state !== verdict.state || (reason !== null && line.reason !== reason);
  const now = ctx.clock.now().toISOString();
  if (isNews) {
    const place = { table: 'bank_file_line', column: 'suggested_name', row: line.id };
    const { suggestedName, payeeCheck } = verdict;
    const set = {
      ...{ state: verdict.state, reason, changedAt: now },
      ...(payeeCheck === null ? {} : { payeeCheck, suggestedName: null }),
    };
    await execute(ctx.em, db.updateTable('bank_file_line').set(set).where('id', '=', line.id));
    if (suggestedName !== null) await storeName(ctx, line, ctx.cipher.encrypt(suggestedName, place));
  }
  if (isAcceptance(verdict)) {
    const file = db.updateTable('bank_file').set({ acceptedAt: now }).where('id', '=', line.fileId);
    await execute(ctx.em, file.where('acceptedAt', 'is', null));
  }
  return isChanged || isNews;
};

/** No name of a payee who was erased meanwhile is stored again. The caller holds the lock of the payout. */
const storeName = (ctx: Context, { id, payoutId }: FiledLine, suggestedName: string): Promise<number> => {
  const sent = db.selectFrom('payout').select('id').where('id', '=', payoutId).where('details', 'is not', null);
  return execute(
    ctx.em,
    db
      .updateTable('bank_file_line')
      .set({ suggestedName })
      .where('id', '=', id)
      .where(({ exists }) => exists(sent)),
  );
};
