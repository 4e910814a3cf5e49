import type { OnboardingStep } from '../../../contracts/onboarding.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { lockMerchant } from '../lock-merchant.ts';
import type { Merchant } from '../merchant.entity.ts';

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
    await ctx.em.flush();
    return merchant;
  });
