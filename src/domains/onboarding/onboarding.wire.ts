import { z } from 'zod';
import { line, storedUuid } from '../../platform/http/schemas.ts';

export const setUpMerchantBody = z.strictObject({ companyName: line(100) });

export const merchantProfileSchema = z
  .object({ merchantId: storedUuid, companyName: z.string() })
  .meta({ id: 'MerchantProfile' });

export const onboardingSchema = z
  .object({ onboardingCompleted: z.boolean(), onboardingStep: z.int() })
  .meta({ id: 'Onboarding' });

export type MerchantProfileView = z.infer<typeof merchantProfileSchema>;
export type OnboardingView = z.infer<typeof onboardingSchema>;

export const toMerchantProfile = (merchant: { id: string; companyName: string }): MerchantProfileView => ({
  merchantId: merchant.id,
  companyName: merchant.companyName,
});

export const toOnboarding = ({ onboardingCompleted, onboardingStep }: OnboardingView): OnboardingView => ({
  onboardingCompleted,
  onboardingStep,
});
