import { type Context, merchantOf } from '../../../platform/context.ts';
import { advanceOnboarding } from '../../merchants/index.ts';
import { type MerchantProfileView, toMerchantProfile } from '../onboarding.wire.ts';

/** Names the company. A repeat changes nothing. */
export const setUpMerchant = async (ctx: Context, input: { companyName: string }): Promise<MerchantProfileView> =>
  toMerchantProfile(await advanceOnboarding(ctx, { ...input, id: merchantOf(ctx), step: 2 }));
