import { LAST_ONBOARDING_STEP } from '../../../contracts/onboarding.ts';
import { type Context, merchantOf } from '../../../platform/context.ts';
import { advanceOnboarding } from '../../merchants/index.ts';
import { type OnboardingView, toOnboarding } from '../onboarding.wire.ts';

/** The merchant decides when the setup is complete: nothing else depends on it. A repeat changes nothing. */
export const completeOnboarding = async (ctx: Context): Promise<OnboardingView> =>
  toOnboarding(await advanceOnboarding(ctx, { id: merchantOf(ctx), step: LAST_ONBOARDING_STEP }));
