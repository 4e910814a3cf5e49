import type { DomainEvent } from '../../contracts/events.ts';
import { FAILURE_CODES, type FailureCode } from '../../contracts/payouts.ts';
import { DAY_MS } from '../../platform/clock.ts';
import { type Context, type EventListener, onEach } from '../../platform/context.ts';
import { signPageUrl } from '../../platform/http/signed-page.ts';
import { findAffiliateFacts } from './mail-facts.queries.ts';
import { manyPayoutsMail, payoutCompletedMail, payoutFailedMail } from './mails/payout-mails.ts';
import { manyPayoutsWaitMail, payoutAttentionMail } from './mails/review-mails.ts';
import { COMPLETED_PAYOUTS } from './opt-outs.steps.ts';
import { writeBoundedMail } from './write-mail.steps.ts';

/** How long the URL in an email works. */
const REMITTANCE_MS = 30 * DAY_MS;

/**
 * Emails affiliates what became of their payouts, and merchants that a payout needs a decision. Affiliates can turn off emails about
 * completed payouts. Nobody gets one about a payout that was cancelled before anything was sent, or that was not approved.
 */
export const mailOnEvent: EventListener = onEach(async (ctx, event) => {
  if (event.type === 'payout.completed' || event.type === 'payout.failed') await mailAffiliate(ctx, event);
  if (event.type === 'payout.needs_attention') await mailFinance(ctx, event);
});

const NOT_MAILED: readonly FailureCode[] = ['cancelled', 'approval_expired', 'file_discarded'];

const mailAffiliate = async (ctx: Context, event: DomainEvent<'payout.completed' | 'payout.failed'>): Promise<void> => {
  const { data, merchantId } = event;
  const failureCode = FAILURE_CODES.find((code) => code === data.failureCode) ?? 'marked_failed';
  if (event.type === 'payout.failed' && NOT_MAILED.includes(failureCode)) return;
  const affiliate = await findAffiliateFacts(ctx, data.affiliateId);
  if (!affiliate) return;
  const payout = { ...affiliate, payoutId: data.id, amount: data.amount, currency: data.currency, method: data.method };
  const isCompleted = event.type === 'payout.completed';
  const kind = isCompleted ? 'payout_completed' : 'payout_failed';
  const mail = {
    kind,
    subjectId: data.id,
    merchantId,
    recipient: affiliate.email,
    // A payout may be completed, returned and completed again.
    period: (isCompleted ? data.completedAt : data.failedAt) ?? '',
    content: isCompleted
      ? payoutCompletedMail(payout, { remittance: remittanceUrlOf(ctx, data.id) })
      : payoutFailedMail(payout, { rail: data.rail, failureCode, railReason: data.railReason }),
    ...(isCompleted ? ({ topic: COMPLETED_PAYOUTS } as const) : {}),
  } as const;
  // The payouts may be of several merchants.
  const content = manyPayoutsMail(kind);
  await writeBoundedMail(ctx, mail, { subjectId: affiliate.profileId, merchantId: null, content });
};

const remittanceUrlOf = (ctx: Context, id: string): string =>
  signPageUrl(ctx, 'remittances', { id, lifetimeMs: REMITTANCE_MS }).url;

const mailFinance = async (ctx: Context, { data, merchantId }: DomainEvent<'payout.needs_attention'>): Promise<void> => {
  const facts = await findAffiliateFacts(ctx, data.affiliateId);
  if (!facts) return;
  const { reviewReason, amount, currency, affiliateName } = data;
  const since = ctx.clock.now();
  const kind = 'payout_attention';
  const mail = {
    kind,
    subjectId: data.id,
    merchantId,
    recipient: facts.merchantEmail,
    // It may wait again, or for another reason.
    period: `${since.toISOString()} ${reviewReason}`,
    content: payoutAttentionMail({ ...facts, affiliateName, payoutId: data.id, amount, currency, reviewReason, since }),
  } as const;
  await writeBoundedMail(ctx, mail, { subjectId: merchantId, merchantId, content: manyPayoutsWaitMail(kind) });
};
