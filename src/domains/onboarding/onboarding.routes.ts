import { operation } from '../../platform/http/operation.ts';
import {
  type MerchantProfileView,
  merchantProfileSchema,
  type OnboardingView,
  onboardingSchema,
  setUpMerchantBody,
} from './onboarding.wire.ts';
import { completeOnboarding, setUpMerchant } from './use-cases/onboarding.ts';

const merchantProfileExample: { data: MerchantProfileView; body: unknown } = {
  data: { merchantId: '0198f1c2-6f01-7a55-b1d4-0c8e92f7a310', companyName: 'Acme' },
  body: { companyName: 'Acme' },
};

const onboardingExample: { data: OnboardingView } = { data: { onboardingCompleted: true, onboardingStep: 4 } };

export const onboardingRoutes = [
  operation({
    id: 'setUpMerchant',
    method: 'POST',
    path: '/onboarding/merchant',
    tag: 'Onboarding',
    summary: 'Set up the merchant',
    description:
      'The first step of the setup: names the company. Next, create a program and connect a payment system. An onboarding key can do all of it.',
    access: { keys: ['merchant', 'onboarding'], scope: 'merchant:manage' },
    body: setUpMerchantBody,
    reply: merchantProfileSchema,
    example: merchantProfileExample,
    handle: ({ ctx, body }) => setUpMerchant(ctx, body),
  }),
  operation({
    id: 'completeOnboarding',
    method: 'POST',
    path: '/onboarding/complete',
    tag: 'Onboarding',
    summary: 'Complete the setup',
    description: 'Marks the setup of the merchant as complete. Needs a merchant key: an onboarding key cannot end its own setup.',
    access: { keys: ['merchant'], scope: 'merchant:manage' },
    reply: onboardingSchema,
    example: onboardingExample,
    handle: ({ ctx }) => completeOnboarding(ctx),
  }),
];
