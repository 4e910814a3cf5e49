import type { Context } from '../../../platform/context.ts';
import { rows } from '../../../platform/database/sql.ts';
import {
  exportPayout,
  type Payment,
  type PaymentFileFormat,
  type PaymentFiles,
  renderPaymentFiles,
} from '../../payouts/index.ts';
import { db } from '../../tables.ts';
import { assertRunGoesOn, isRunPausedError, listManualOfRun, onEachPayout } from '../each-payout.ts';

/**
 * The files with which a person pays the manual payouts of a run that are processing. Each call is on the timeline of each payout. Throws
 * RUN_PAUSED, also when it is paused meanwhile: part of a file would look like all of it.
 */
export const getPayoutRunFile = async (
  ctx: Context,
  { id, format }: { id: string; format: PaymentFileFormat },
): Promise<PaymentFiles> => {
  await assertRunGoesOn(ctx, id);
  const payouts = await listManualOfRun(ctx, id, ['processing']);
  const payees = await findPayees(ctx, id);
  const payments: Payment[] = [];
  for (let waiting: readonly { id: string; affiliateId: string }[] = payouts; waiting.length > 0; ) {
    const work = (ctx: Context, payoutId: string) => exportPayout(ctx, { id: payoutId, process: false, repeat: true });
    const { outcomes, remaining } = await onEachPayout(ctx, { payouts: waiting, runId: id, work });
    for (const outcome of outcomes) {
      if ('refused' in outcome && isRunPausedError(outcome.refused)) throw outcome.refused;
      // What was recorded meanwhile is not paid again.
      if (!('done' in outcome) || !('instructions' in outcome.done)) continue;
      const { instructions } = outcome.done;
      const payee = payees.get(outcome.payoutId);
      if (instructions.status === 'processing' && payee) payments.push({ ...instructions, ...payee });
    }
    waiting = waiting.filter((payout) => remaining.includes(payout.id));
  }
  return renderPaymentFiles(format, payments);
};

const findPayees = async (ctx: Context, runId: string) => {
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
