import type { InternalEvent } from '../../contracts/internal-events.ts';
import { actorName, type Context } from '../../platform/context.ts';
import { findAffiliateFacts, findMerchantAddress, findPayoutFacts, findRunFacts } from './mail-facts.queries.ts';
import { adjustmentApprovalMail, manyAdjustmentsWaitMail } from './mails/adjustment-mails.ts';
import { ruleChangeMail } from './mails/merchant-mails.ts';
import { manyPayoutsWaitMail, payoutApprovalMail } from './mails/review-mails.ts';
import { manyRunsWaitMail, runApprovalMail } from './mails/run-mails.ts';
import { writeBoundedMail, writeMail } from './write-mail.ts';

/** To those who may approve: the merchant's address. */
export const mailPayoutApproval = async (
  ctx: Context,
  { payoutId, merchantId, n, payment }: InternalEvent<'payout.approval_requested'>,
): Promise<void> => {
  const facts = await findPayoutFacts(ctx, payoutId);
  if (!facts) return;
  const { merchantEmail: recipient, ...payout } = facts;
  const kind = 'payout_approval';
  const content = payoutApprovalMail({ ...payout, payment });
  const mail = { kind, subjectId: payoutId, merchantId, recipient, period: String(n), content } as const;
  await writeBoundedMail(ctx, mail, { subjectId: merchantId, merchantId, content: manyPayoutsWaitMail(kind) });
};

export const mailRunApproval = async (
  ctx: Context,
  { runId: subjectId, merchantId, n }: InternalEvent<'payout_run.approval_requested'>,
): Promise<void> => {
  const facts = await findRunFacts(ctx, subjectId);
  if (!facts) return;
  const { merchantEmail: recipient, ...run } = facts;
  const content = runApprovalMail(run);
  const mail = { kind: 'payout_run_approval', subjectId, merchantId, recipient, period: String(n), content } as const;
  await writeBoundedMail(ctx, mail, { subjectId: merchantId, merchantId, content: manyRunsWaitMail() });
};

export const mailAdjustmentApproval = async (
  ctx: Context,
  { adjustmentId: subjectId, merchantId, affiliateId, n, ...adjustment }: InternalEvent<'adjustment.approval_requested'>,
): Promise<void> => {
  const facts = await findAffiliateFacts(ctx, affiliateId);
  if (!facts) return;
  const { merchantEmail: recipient } = facts;
  const content = adjustmentApprovalMail({ ...facts, ...adjustment, adjustmentId: subjectId });
  const mail = { kind: 'adjustment_approval', subjectId, merchantId, recipient, period: String(n), content } as const;
  await writeBoundedMail(ctx, mail, { subjectId: merchantId, merchantId, content: manyAdjustmentsWaitMail() });
};

export const mailRuleChange = async (
  ctx: Context,
  { merchantId, ...change }: InternalEvent<'merchant.change_requested'>,
): Promise<void> => {
  const merchant = await findMerchantAddress(ctx, merchantId);
  if (!merchant) return;
  const content = ruleChangeMail({ ...change, companyName: merchant.companyName, actor: actorName(ctx.actor) });
  const { changeId: subjectId } = change;
  await writeMail(ctx, { kind: 'rule_change_requested', subjectId, merchantId, recipient: merchant.email, content });
};
