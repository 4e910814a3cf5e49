import type { MerchantProfileView, OnboardingView } from './onboarding.wire.ts';

export const merchantProfileExample: { data: MerchantProfileView; body: unknown } = {
  data: { merchantId: '0198f1c2-6f01-7a55-b1d4-0c8e92f7a310', companyName: 'Acme' },
  body: { companyName: 'Acme' },
};

export const onboardingExample: { data: OnboardingView } = { data: { onboardingCompleted: true, onboardingStep: 4 } };
