import { z } from 'zod';
import type { Context } from '../../platform/context.ts';
import { firstRow, rows } from '../../platform/database/sql.ts';
import { conflict, notFound } from '../../platform/errors.ts';
import type { TextDownload } from '../../platform/http/csv-download.ts';
import { type Payment, readExported, renderPaymentFiles } from '../payouts/index.ts';
import { db } from '../tables.ts';
import { findPayouts, onEachPayout } from './each-payout.steps.ts';

/** Identifies one file: `fileId` is a reading of payment files, `n` the number of the file in it. */
const filter = z.strictObject({ fileId: z.uuid(), n: z.int().min(0) });

/**
 * One payment file as it was handed out, which is on the timelines already. Throws RUN_CHANGED once a payout of it was paid, NOT_PROCESSING
 * once one failed, and RUN_PAUSED: there is no part of a file.
 */
export const paymentFileDownload: TextDownload<z.infer<typeof filter>> = {
  name: 'payment-file',
  scope: 'payouts:write',
  filter,
  exceeds: async () => false,
  async text(ctx, values, merchantId) {
    const { fileId, n } = filter.parse(values);
    const stored = await firstRow(
      ctx.em,
      db
        .selectFrom('payout_run_file as f')
        .innerJoin('payout_run as r', 'r.id', 'f.runId')
        .select(['f.runId', 'f.format', 'f.payoutIds'])
        .where('f.id', '=', fileId)
        .where('r.merchantId', '=', merchantId),
    );
    if (!stored) throw notFound('Payment file');
    const file = renderPaymentFiles(stored.format, await readPayments(ctx, stored)).files[n];
    if (!file) throw notFound('Payment file');
    return file.content;
  },
};

const readPayments = async (
  ctx: Context,
  { runId, payoutIds }: { runId: string; payoutIds: readonly string[] },
): Promise<Payment[]> => {
  const payees = await findPayees(ctx, runId);
  const payouts = [...(await findPayouts(ctx, payoutIds)).values()].map(({ id, affiliateId }) => ({ id, affiliateId }));
  const work = (ctx: Context, id: string) => readExported(ctx, { id });
  // The deadline of the download ends it.
  const { outcomes } = await onEachPayout(ctx, { payouts, withinMs: Number.POSITIVE_INFINITY, work });
  const found = new Map<string, Payment>();
  for (const outcome of outcomes) {
    if ('refused' in outcome) throw outcome.refused;
    const payee = payees.get(outcome.payoutId);
    if (payee && outcome.done.status === 'processing') found.set(outcome.payoutId, { ...outcome.done, ...payee });
  }
  return payoutIds.map((id) => {
    const payment = found.get(id);
    if (!payment) throw conflict('RUN_CHANGED', 'The file is not what is to be paid now: read it again');
    return payment;
  });
};

/** What files contain about the payees of a run, by payout. */
export const findPayees = async (ctx: Context, runId: string) => {
  const found = await rows(
    ctx.em,
    db
      .selectFrom('payout as p')
      .innerJoin('affiliate_profile as f', 'f.id', 'p.profileId')
      .select(['p.id as payoutId', 'p.affiliateName as affiliateName', 'f.email as email'])
      .where('p.payoutRunId', '=', runId),
  );
  return new Map(found.map(({ payoutId, affiliateName, email }) => [payoutId, { affiliateName, email }]));
};
