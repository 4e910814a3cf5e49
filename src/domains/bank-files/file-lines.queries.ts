import type { AttemptOutcome, FailureCode } from '../../contracts/payouts.ts';
import type { Context } from '../../platform/context.ts';
import { rows } from '../../platform/database/sql.ts';
import { anyOf } from '../../platform/database/table.ts';
import { db } from '../tables.ts';

/** A payment of a file with its attempt. */
export interface FiledLine {
  id: string;
  fileId: string;
  messageId: string;
  payoutId: string;
  affiliateId: string;
  runId: string | null;
  idempotencyKey: string;
  outcome: AttemptOutcome;
  /** Why the payout failed; null unless it did. */
  failureCode: FailureCode | null;
  amount: number;
  currency: string;
  state: string | null;
  reason: string | null;
  payeeCheck: string | null;
}

/** It failed because somebody here said so, which the bank may never have heard. */
export const isEndedHere = ({ outcome, failureCode }: FiledLine): boolean =>
  outcome === 'failed' && (failureCode === 'file_discarded' || failureCode === 'marked_failed');

const lines = () =>
  db
    .selectFrom('bank_file_line as l')
    .innerJoin('bank_file as f', 'f.id', 'l.fileId')
    .innerJoin('payout as o', 'o.id', 'l.payoutId')
    .innerJoin('payout_attempt as a', 'a.id', 'l.attemptId')
    .select(['l.id', 'l.fileId', 'f.messageId', 'l.payoutId', 'o.affiliateId', 'o.payoutRunId as runId', 'a.idempotencyKey'])
    .select(['a.outcome', 'o.failureCode', 'l.amount', 'f.currency', 'l.state', 'l.reason', 'l.payeeCheck']);

export const listLinesOf = (ctx: Context, fileId: string): Promise<FiledLine[]> =>
  rows(ctx.em, lines().where('l.fileId', '=', fileId).orderBy('l.position'));

/** Finds the lines of an account's files by the keys of their attempts. */
export const findLines = async (
  ctx: Context,
  { accountId, keys }: { accountId: string; keys: readonly string[] },
): Promise<Map<string, FiledLine>> => {
  const found = await rows(ctx.em, lines().where('f.railAccountId', '=', accountId).where('a.idempotencyKey', '=', anyOf(keys)));
  return new Map(found.map((line) => [line.idempotencyKey, line]));
};
