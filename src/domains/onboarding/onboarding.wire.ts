import { z } from 'zod';
import { companyName } from '../../platform/http/fields.ts';
import { nameLine, storedUuid } from '../../platform/http/schemas.ts';
import { merchantSchema } from '../merchants/index.ts';

export const setUpMerchantBody = z.strictObject({ companyName: nameLine(100).describe('Company name, shown to affiliates') });

export const merchantProfileSchema = z
  .object({ merchantId: storedUuid.describe('The merchant that the key belongs to'), companyName })
  .meta({ id: 'MerchantProfile' });

export const onboardingSchema = z
  .object({ onboardingCompleted: merchantSchema.shape.onboardingCompleted, onboardingStep: merchantSchema.shape.onboardingStep })
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
