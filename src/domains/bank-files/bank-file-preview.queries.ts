import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Context, merchantOf } from '../../platform/context.ts';
import { assertOwnRun } from '../payout-runs/index.ts';
import { openFileRail, type PlannedFilePayment, planFilePayment } from '../payouts/index.ts';
import { getFileAccount, maskedAccount } from './bank-files.queries.ts';
import { type BankFilePreview, MAX_PREVIEWED } from './bank-files.wire.ts';
import { executionDayOf } from './execution-day.queries.ts';
import { listPlanned, type WaitingFilter } from './waiting-payouts.queries.ts';

/** Payouts whose details are decrypted before others have their turn. */
const BATCH = 500;

type Planned = Awaited<ReturnType<typeof listPlanned>>[number];

const planAll = async (
  ctx: Context,
  waiting: readonly Planned[],
  account: Awaited<ReturnType<typeof getFileAccount>>,
): Promise<(PlannedFilePayment & Planned)[]> => {
  const planned: (PlannedFilePayment & Planned)[] = [];
  const rail = openFileRail(account, ctx.clock);
  for (let at = 0; at < waiting.length; at += BATCH) {
    for (const payout of waiting.slice(at, at + BATCH))
      planned.push({ ...payout, ...planFilePayment(ctx, payout, { ...account, nameOf: rail.nameOf }) });
    await nextTurn();
  }
  return planned;
};

/** What a bank file would hold if it was made now, without making it. Throws what making it would throw, but not that nothing waits. */
export const previewBankFile = async (ctx: Context, filter: WaitingFilter): Promise<BankFilePreview> => {
  const merchantId = merchantOf(ctx);
  if (filter.runId !== undefined) await assertOwnRun(ctx, filter.runId);
  const account = await getFileAccount(ctx, merchantId);
  const rail = openFileRail(account, ctx.clock);
  const planned = await planAll(ctx, await listPlanned(ctx, merchantId, filter), account);
  const paid = planned.filter(({ refusal }) => refusal === null);
  const held = planned.flatMap(({ id, affiliateCode, amount, refusal }) =>
    refusal === null ? [] : [{ payoutId: id, affiliateCode, amount, ...refusal }],
  );
  const changed = paid.flatMap(({ id, affiliateCode, payee, payeeAsSent, isChanged }) =>
    isChanged ? [{ payoutId: id, affiliateCode, payee, payeeAsSent }] : [],
  );
  return {
    account: maskedAccount(rail.account),
    payments: paid.length,
    total: paid.reduce((sum, { amount }) => sum + amount, 0),
    currency: planned[0]?.currency ?? null,
    files: Math.ceil(paid.length / rail.maxOrders),
    executionDate: await executionDayOf(ctx, merchantId, filter),
    instant: rail.isInstant,
    changedNames: changed.length,
    changed: changed.slice(0, MAX_PREVIEWED),
    leftOut: held.length,
    heldBack: held.slice(0, MAX_PREVIEWED),
  };
};
