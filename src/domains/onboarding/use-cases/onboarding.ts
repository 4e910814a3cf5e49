import { LAST_ONBOARDING_STEP } from '../../../contracts/onboarding.ts';
import { type Context, merchantOf } from '../../../platform/context.ts';
import { advanceOnboarding } from '../../merchants/index.ts';
import { type MerchantProfileView, type OnboardingView, toMerchantProfile, toOnboarding } from '../onboarding.wire.ts';

/** Names the company. A repeat changes nothing. */
export const setUpMerchant = async (ctx: Context, input: { companyName: string }): Promise<MerchantProfileView> =>
  toMerchantProfile(await advanceOnboarding(ctx, { ...input, id: merchantOf(ctx), step: 2 }));

/** The merchant decides when the setup is complete: nothing else depends on it. A repeat changes nothing. */
export const completeOnboarding = async (ctx: Context): Promise<OnboardingView> =>
  toOnboarding(await advanceOnboarding(ctx, { id: merchantOf(ctx), step: LAST_ONBOARDING_STEP }));
