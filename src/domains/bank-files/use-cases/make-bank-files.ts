import { type Context, merchantOf } from '../../../platform/context.ts';
import { type AppError, conflict } from '../../../platform/errors.ts';
import { faultPoint } from '../../../platform/fault-points.ts';
import { assertRunGoesOn, onEachPayout } from '../../payout-runs/index.ts';
import { assertPaymentsNotHeld, openFileRail, putIntoFile } from '../../payouts/index.ts';
import { getFileAccount, readBankFile } from '../bank-files.queries.ts';
import { MAX_REFUSED, type MadeFiles } from '../bank-files.wire.ts';
import { executionDayOf } from '../execution-day.queries.ts';
import { addLine, beginFile, finishFile, listAbandoned, type OpenFile } from '../make-file.steps.ts';
import { assertRunHasItsPayouts, listWaiting, type WaitingFilter } from '../waiting-payouts.queries.ts';

interface FilesInput extends WaitingFilter {
  executionDate?: string | undefined;
  instant?: boolean | undefined;
}

/**
 * Makes files of the payouts that wait: each payment begins in the transaction that puts it into its file, 100 at a time, and a file can be
 * downloaded once it is whole. A payout that cannot be paid now stays where it is, with its reason. A file that was left unfinished is
 * finished first, and returned too. Throws NOTHING_TO_PUT_INTO_FILE, RUN_PAUSED, RUN_NOT_READY, PAYMENTS_HELD and RAIL_CANNOT_PAY.
 */
export const makeBankFiles = async (ctx: Context, input: FilesInput): Promise<MadeFiles> => {
  const merchantId = merchantOf(ctx);
  if (input.runId !== undefined) {
    await assertRunGoesOn(ctx, input.runId);
    await assertRunHasItsPayouts(ctx, input.runId);
  }
  await assertPaymentsNotHeld(ctx);
  const account = await getFileAccount(ctx, merchantId);
  const rail = openFileRail(account, ctx.clock);
  const executionDate = await executionDayOf(ctx, merchantId, input);
  const made: MadeFiles = { files: [], refused: [], remaining: 0 };
  for (const { id, status } of await listAbandoned(ctx, account.id))
    if (status === 'making' && (await finishFile(ctx, id)) > 0) made.files.push(await readBankFile(ctx, id));
  const waiting = await listWaiting(ctx, merchantId, input);
  const currency = waiting[0]?.currency;
  if (currency === undefined && made.files.length > 0) return made;
  if (currency === undefined) throw conflict('NOTHING_TO_PUT_INTO_FILE', 'No payout waits for a bank file');
  const isSingle = input.payoutId !== undefined;
  const plan = {
    merchantId,
    account: { id: account.id, rail: account.rail, tag: rail.tag },
    executionDate,
    isInstant: input.instant ?? rail.isInstant,
    isSingle,
    payoutRunId: input.runId ?? null,
    currency,
  };
  for (let rest = waiting; rest.length > 0; rest = rest.slice(rail.maxOrders)) {
    const file = await beginFile(ctx, plan);
    faultPoint('bank:after-begin');
    const { refused, remaining } = await fill(ctx, file, rest.slice(0, rail.maxOrders), input.runId);
    made.refused.push(...refused.slice(0, MAX_REFUSED - made.refused.length));
    if ((await finishFile(ctx, file.id)) > 0) made.files.push(await readBankFile(ctx, file.id));
    faultPoint('bank:after-finish');
    if (remaining === 0) continue;
    made.remaining = remaining + Math.max(0, rest.length - rail.maxOrders);
    break;
  }
  return made;
};

const fill = async (
  ctx: Context,
  file: OpenFile,
  payouts: readonly { id: string; affiliateId: string; runId: string | null }[],
  runId: string | undefined,
): Promise<{ refused: MadeFiles['refused']; remaining: number }> => {
  const work = async (ctx: Context, id: string): Promise<void> => {
    const filed = await putIntoFile(ctx, { id, accountId: file.railAccountId, messageId: file.messageId });
    if (!filed) return;
    await addLine(ctx, file.id, filed);
  };
  const { outcomes, remaining } = await onEachPayout(ctx, { payouts, runId, work });
  const refused = outcomes.flatMap((outcome) =>
    'refused' in outcome ? [{ payoutId: outcome.payoutId, reason: reasonOf(outcome.refused) }] : [],
  );
  return { refused, remaining: remaining.length };
};

export const reasonOf = ({ code, details }: AppError): string => {
  const reason = details?.['reason'];
  return typeof reason === 'string' ? reason : code;
};
