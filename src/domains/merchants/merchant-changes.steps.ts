import { isDeepStrictEqual } from 'node:util';
import { LockMode } from '@mikro-orm/core';
import type { OnboardingStep } from '../../contracts/onboarding.ts';
import { recordChange, valuesOf } from '../../platform/audit-log/record-change.ts';
import { type Context, emitInternal, inTransaction } from '../../platform/context.ts';
import { notFound } from '../../platform/errors.ts';
import { type BillingChanges, Merchant, type MerchantChanges } from './merchant.entity.ts';

/** Locked until the transaction ends. NOT_FOUND when it does not exist. */
export const lockMerchant = async (ctx: Context, id: string): Promise<Merchant> => {
  const merchant = await ctx.em.findOne(Merchant, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!merchant) throw notFound('Merchant');
  return merchant;
};

/** Fields that a merchant sets, in any of its settings. */
const SETTINGS = [
  'companyName',
  'logoUrl',
  'country',
  'addressLine1',
  'addressLine2',
  'city',
  'state',
  'postalCode',
  'vatId',
  'taxId',
  'timezone',
  'defaultCookieDuration',
  'defaultPayoutThreshold',
  'trackingRequiresConsent',
  'trackingParamAliases',
  'flagReviewDays',
  'flagDeadlineAction',
  'detailsCooldownHours',
  'payoutDailyLimit',
  'payoutApprovalThreshold',
  'payoutRails',
  'paymentPrefix',
  'notificationPreferences',
  'onboardingStep',
] as const satisfies readonly (keyof Merchant)[];

/** Records what a change of settings changes. Nothing when it changes nothing. */
export const recordMerchantChange = async <Result>(ctx: Context, merchant: Merchant, change: () => Result): Promise<Result> => {
  const before = valuesOf(merchant, SETTINGS);
  const result = change();
  const { id } = merchant;
  await recordChange(ctx, {
    ownerId: id,
    action: 'merchant.updated',
    resourceId: id,
    before,
    after: valuesOf(merchant, SETTINGS),
  });
  return result;
};

/** As `recordMerchantChange`; the merchant is told of a changed approval threshold. */
export const changeSettings = async (ctx: Context, merchant: Merchant, changes: MerchantChanges): Promise<void> => {
  const { id: merchantId, payoutApprovalThreshold: oldThreshold = null } = merchant;
  await recordMerchantChange(ctx, merchant, () => merchant.change(changes, ctx.clock.now()));
  const { payoutApprovalThreshold: newThreshold = null } = merchant;
  if (isDeepStrictEqual(oldThreshold, newThreshold)) return;
  const changeId = ctx.ids.next();
  await emitInternal(ctx, { type: 'payout.approval_threshold_changed', merchantId, changeId, oldThreshold, newThreshold });
};

const BILLING = ['billingTier', 'paymentStatus', 'graceEndsAt'] as const;

/** Changes the tier of a merchant, and how its payments stand. What is left out stays unchanged. */
export const changeBilling = (
  ctx: Context,
  { merchantId, changes }: { merchantId: string; changes: BillingChanges },
): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const merchant = await lockMerchant(ctx, merchantId);
    const before = valuesOf(merchant, BILLING);
    merchant.changeBilling(changes, ctx.clock.now());
    const after = valuesOf(merchant, BILLING);
    const action = 'merchant.billing_changed';
    await recordChange(ctx, { ownerId: merchantId, action, resourceId: merchantId, before, after });
  });

export interface AdvanceOnboardingInput {
  id: string;
  step: OnboardingStep;
  companyName?: string;
}

/** Records a step of the setup. A step that was reached before changes nothing, except the name. */
export const advanceOnboarding = (ctx: Context, { id, step, companyName }: AdvanceOnboardingInput): Promise<Merchant> =>
  inTransaction(ctx, async (ctx) => {
    const merchant = await lockMerchant(ctx, id);
    await recordMerchantChange(ctx, merchant, () => {
      merchant.change({ companyName }, ctx.clock.now());
      merchant.advanceOnboarding(step, ctx.clock.now());
    });
    return merchant;
  });
