import { FAILURE_CODES } from '../../contracts/payouts.ts';
import type { EventListener } from '../../platform/context.ts';
import { findAffiliateFacts } from './mail-facts.queries.ts';
import { payoutCompletedMail, payoutFailedMail } from './mails/payout-mails.ts';
import { writeMail } from './write-mail.ts';

/**
 * Tells affiliates what became of their payouts. Merchants read of it in the mails about activity. A payout that was
 * cancelled before anything was sent is told to nobody.
 */
export const mailOnEvent: EventListener = async (ctx, event) => {
  if (event.type !== 'payout.completed' && event.type !== 'payout.failed') return;
  const { data, merchantId } = event;
  const failureCode = FAILURE_CODES.find((code) => code === data.failureCode) ?? 'marked_failed';
  if (event.type === 'payout.failed' && failureCode === 'cancelled') return;
  const affiliate = await findAffiliateFacts(ctx, data.affiliateId);
  if (!affiliate) return;
  const payout = { ...affiliate, payoutId: data.id, amount: data.amount, currency: data.currency, method: data.method };
  const isCompleted = event.type === 'payout.completed';
  await writeMail(ctx, {
    kind: isCompleted ? 'payout_completed' : 'payout_failed',
    subjectId: data.id,
    merchantId,
    recipient: affiliate.email,
    // A payout may be completed, returned and completed again.
    period: (isCompleted ? data.completedAt : data.failedAt) ?? '',
    content: isCompleted ? payoutCompletedMail(payout) : payoutFailedMail(payout, failureCode),
  });
};
