import type { InternalEvent } from '../../contracts/internal-events.ts';
import { actorName, type Context } from '../../platform/context.ts';
import type { MailContent } from './mail-content.rules.ts';
import { findActorName, findAffiliateFacts, findMerchantAddress, findPayoutFacts, findRunFacts } from './mail-facts.queries.ts';
import { listApprovers } from './mail-recipients.queries.ts';
import { adjustmentApprovalMail, manyAdjustmentsWaitMail } from './mails/adjustment-mails.ts';
import { ruleChangeMail } from './mails/merchant-mails.ts';
import { manyPayoutsWaitMail, payoutApprovalMail } from './mails/review-mails.ts';
import { manyRunsWaitMail, runApprovalMail } from './mails/run-mails.ts';
import { writeBoundedMail, writeMail } from './write-mail.steps.ts';

/** Those who may approve: the merchant's address, and people whose role allows it. */
const toApprovers = async (
  ctx: Context,
  mail: Omit<Parameters<typeof writeBoundedMail>[1], 'recipient' | 'subjectId' | 'merchantId'> & {
    subjectId: string;
    merchantId: string;
    merchantEmail: string;
    others: MailContent;
  },
): Promise<void> => {
  const { merchantEmail, others: content, ...rest } = mail;
  const { merchantId } = rest;
  for (const recipient of await listApprovers(ctx, { merchantId, merchantEmail }))
    await writeBoundedMail(ctx, { ...rest, recipient }, { subjectId: merchantId, merchantId, content });
};

export const mailPayoutApproval = async (
  ctx: Context,
  { payoutId, merchantId, n, payment }: InternalEvent<'payout.approval_requested'>,
): Promise<void> => {
  const facts = await findPayoutFacts(ctx, payoutId);
  if (!facts) return;
  const { merchantEmail, ...payout } = facts;
  const kind = 'payout_approval';
  const content = payoutApprovalMail({ ...payout, payment });
  const others = manyPayoutsWaitMail(kind);
  await toApprovers(ctx, { kind, subjectId: payoutId, merchantId, merchantEmail, period: String(n), content, others });
};

export const mailRunApproval = async (
  ctx: Context,
  { runId: subjectId, merchantId, n }: InternalEvent<'payout_run.approval_requested'>,
): Promise<void> => {
  const facts = await findRunFacts(ctx, subjectId);
  if (!facts) return;
  const { merchantEmail, ...run } = facts;
  const content = runApprovalMail(run);
  const mail = { kind: 'payout_run_approval', subjectId, merchantId, merchantEmail, period: String(n), content } as const;
  await toApprovers(ctx, { ...mail, others: manyRunsWaitMail() });
};

export const mailAdjustmentApproval = async (
  ctx: Context,
  { adjustmentId: subjectId, merchantId, affiliateId, n, ...adjustment }: InternalEvent<'adjustment.approval_requested'>,
): Promise<void> => {
  const facts = await findAffiliateFacts(ctx, affiliateId);
  if (!facts) return;
  const { merchantEmail } = facts;
  const content = adjustmentApprovalMail({ ...facts, ...adjustment, adjustmentId: subjectId });
  const mail = { kind: 'adjustment_approval', subjectId, merchantId, merchantEmail, period: String(n), content } as const;
  await toApprovers(ctx, { ...mail, others: manyAdjustmentsWaitMail() });
};

export const mailRuleChange = async (
  ctx: Context,
  { merchantId, ...change }: InternalEvent<'merchant.change_requested'>,
): Promise<void> => {
  const merchant = await findMerchantAddress(ctx, merchantId);
  if (!merchant) return;
  const actor = await findActorName(ctx, actorName(ctx.actor));
  const content = ruleChangeMail({ ...change, companyName: merchant.companyName, actor });
  const { changeId: subjectId } = change;
  for (const recipient of await listApprovers(ctx, { merchantId, merchantEmail: merchant.email }))
    await writeMail(ctx, { kind: 'rule_change_requested', subjectId, merchantId, recipient, content });
};
