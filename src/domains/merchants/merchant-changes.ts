import { LockMode } from '@mikro-orm/core';
import type { OnboardingStep } from '../../contracts/onboarding.ts';
import { type Context, inTransaction } from '../../platform/context.ts';
import { notFound } from '../../platform/errors.ts';
import { type BillingChanges, Merchant } from './merchant.entity.ts';

/** Locked until the transaction ends. NOT_FOUND when it does not exist. */
export const lockMerchant = async (ctx: Context, id: string): Promise<Merchant> => {
  const merchant = await ctx.em.findOne(Merchant, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!merchant) throw notFound('Merchant');
  return merchant;
};

/** Changes the tier of a merchant, and how its payments stand. What is left out stays unchanged. */
export const changeBilling = (
  ctx: Context,
  { merchantId, changes }: { merchantId: string; changes: BillingChanges },
): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const merchant = await lockMerchant(ctx, merchantId);
    merchant.changeBilling(changes, ctx.clock.now());
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
    merchant.change({ companyName }, ctx.clock.now());
    merchant.advanceOnboarding(step, ctx.clock.now());
    return merchant;
  });
