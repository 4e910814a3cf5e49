import { formatMoney } from '../../../contracts/currencies.ts';
import { type Context, emitInternal } from '../../../platform/context.ts';
import { lockName } from '../../../platform/database/lock-name.ts';
import type { AmountsByCurrency } from '../../../platform/money.ts';
import { actorsOfLine } from '../../auth/index.ts';
import { type CurrencyAmount, reachesThreshold } from '../../merchants/index.ts';
import { limitLockOf, sumsOfDay } from '../create/daily-limit.steps.ts';
import { maskDestination } from '../create/destination.rules.ts';
import { readDetails } from '../create/read-details.steps.ts';
import type { Payout } from '../payout.entity.ts';
import { addTimelineEntry } from '../timeline.steps.ts';

interface NewAmounts {
  merchantId: string;
  amounts: readonly CurrencyAmount[];
  payoutApprovalThreshold: AmountsByCurrency | null;
  /** Who pays, as `actorName` names the caller. */
  by: string;
}

/**
 * Whether a second actor has to approve a payout, or the total of a run: by its amounts, with what the same actor created or confirmed
 * without approval in 24 hours in any currency, so that many small ones do not pass. The lock, after that of the balance, lets those at
 * once see each other.
 */
export const needsApproval = async (
  ctx: Context,
  { merchantId, amounts, payoutApprovalThreshold, by }: NewAmounts,
): Promise<boolean> => {
  const threshold = payoutApprovalThreshold ?? {};
  if (Object.keys(threshold).length === 0) return false;
  if (reachesThreshold(amounts, threshold)) return true;
  const unapprovedOf = actorsOfLine(by);
  if (unapprovedOf === null) return false;
  await lockName(ctx, limitLockOf(merchantId));
  const unapproved = await sumsOfDay(ctx, { merchantId, unapprovedOf });
  return reachesThreshold([...unapproved, ...amounts], threshold);
};

/** "20.00 USD to a***@example.com": what the approver sees, and what the timeline keeps. */
export const paymentText = (ctx: Context, payout: Payout): string => {
  const details = readDetails(ctx, payout);
  return `${formatMoney(payout.amount, payout.currency)} to ${details ? maskDestination(details) : 'nobody'}`;
};

/** Asks those who may approve. `n` counts reminders from 1; 0 is the first mail. */
export const askForApproval = async (ctx: Context, payout: Payout, n: number): Promise<void> => {
  const note = paymentText(ctx, payout);
  const entry = n === 0 ? ({ type: 'approval_requested' } as const) : ({ type: 'approval_reminder_sent', reminder: n } as const);
  await addTimelineEntry(ctx, payout, { ...entry, note });
  const { id: payoutId, merchantId } = payout;
  await emitInternal(ctx, { type: 'payout.approval_requested', payoutId, merchantId, n, payment: note });
};
