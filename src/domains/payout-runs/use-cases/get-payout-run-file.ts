import type { PaymentFileFormat } from '../../../contracts/payout-runs.ts';
import { actorName, type Context } from '../../../platform/context.ts';
import { execute, toIso } from '../../../platform/database/sql.ts';
import { createCsvUrl } from '../../../platform/http/csv-download.ts';
import { acceptedBy, assertPaymentsNotHeld, exportPayout, type Payment, renderPaymentFiles } from '../../payouts/index.ts';
import { db } from '../../tables.ts';
import { assertRunGoesOn, isRunPausedError, listManualOfRun, onEachPayout } from '../each-payout.steps.ts';
import type { HandedOut, RunFiles } from '../pay-by-hand.wire.ts';
import { findPayees, paymentFileDownload } from '../payment-file-download.steps.ts';
import { figuresOf } from '../seen-payouts.steps.ts';

interface FileInput {
  id: string;
  format: PaymentFileFormat;
  /** Also hands out payouts that were in a file before. */
  again?: boolean | undefined;
}

/**
 * The files with which a person pays the manual payouts of a run that are processing. Those that were handed out before are left out and
 * counted, or counted only with `again`. Each call is on the timeline of each payout in its files. Throws PAYMENTS_HELD, and RUN_PAUSED
 * also when it is paused meanwhile: part of a file would look like all of it.
 */
export const getPayoutRunFile = async (ctx: Context, { id, format, again = false }: FileInput): Promise<RunFiles> => {
  await assertRunGoesOn(ctx, id);
  await assertPaymentsNotHeld(ctx);
  const payouts = await listManualOfRun(ctx, id, ['processing']);
  const { payments, omitted, handedOut } = await exportAll(ctx, { id, format, again }, payouts);
  const { files } = renderPaymentFiles(format, payments);
  const {
    digest,
    items,
    total: totals,
  } = await figuresOf(
    ctx,
    payouts.map(({ id }) => id),
    payouts,
  );
  const fileId = payments.length > 0 ? await storeFile(ctx, { runId: id, format, payments }) : null;
  return { files, omitted, fileId, digest, items, totals, handedOut };
};

/** As `getPayoutRunFile`, with URLs of the files for the caller. */
export const getPayoutRunFileUrls = async (ctx: Context, input: FileInput) => {
  const { fileId, files, ...found } = await getPayoutRunFile(ctx, input);
  const urls = fileId ? await Promise.all(files.map((_file, n) => createCsvUrl(ctx, paymentFileDownload, { fileId, n }))) : [];
  const [first] = urls;
  return {
    ...found,
    files: files.map((file, n) => ({ ...file, url: urls[n]?.url ?? null })),
    url: urls.length === 1 ? (first?.url ?? null) : null,
    expiresAt: first?.expiresAt ?? null,
  };
};

interface Collected {
  payments: Payment[];
  omitted: string[];
  handedOut: HandedOut;
}

const exportAll = async (
  ctx: Context,
  { id, format, again }: FileInput & { again: boolean },
  payouts: readonly { id: string; affiliateId: string }[],
): Promise<Collected> => {
  const payees = await findPayees(ctx, id);
  const accepts = acceptedBy(format);
  const found: Collected = { payments: [], omitted: [], handedOut: { payouts: 0, lastAt: null, lastBy: null } };
  for (let waiting = payouts; waiting.length > 0; ) {
    const work = (ctx: Context, payoutId: string) => exportPayout(ctx, { id: payoutId, process: false, repeat: again, accepts });
    const { outcomes, remaining } = await onEachPayout(ctx, { payouts: waiting, runId: id, work });
    for (const outcome of outcomes) {
      if ('refused' in outcome && isRunPausedError(outcome.refused)) throw outcome.refused;
      // What was recorded meanwhile is not paid again.
      if ('done' in outcome) collect(found, { ...outcome, payee: payees.get(outcome.payoutId) });
    }
    const left = new Set(remaining);
    waiting = waiting.filter((payout) => left.has(payout.id));
  }
  return found;
};

type Exported = Awaited<ReturnType<typeof exportPayout>>;

const collect = (
  found: Collected,
  { payoutId, done, payee }: { payoutId: string; done: Exported; payee: Pick<Payment, 'affiliateName' | 'email'> | undefined },
): void => {
  if ('omitted' in done) {
    found.omitted.push(payoutId);
    return;
  }
  const before = done.instructions ? done.before : done;
  if (before) {
    const at = toIso(before.exportedAt);
    found.handedOut.payouts++;
    if (found.handedOut.lastAt === null || at >= found.handedOut.lastAt)
      Object.assign(found.handedOut, { lastAt: at, lastBy: before.exportedBy });
  }
  const { instructions } = done;
  if (instructions?.status === 'processing' && payee) found.payments.push({ ...instructions, ...payee });
};

const storeFile = async (
  ctx: Context,
  { runId, format, payments }: { runId: string; format: PaymentFileFormat; payments: readonly Payment[] },
): Promise<string> => {
  const id = ctx.ids.next();
  const payoutIds = payments.map(({ payoutId }) => payoutId);
  const created = { createdBy: actorName(ctx.actor), createdAt: ctx.clock.now().toISOString() };
  await execute(ctx.em, db.insertInto('payout_run_file').values({ id, runId, format, payoutIds, ...created }));
  return id;
};
