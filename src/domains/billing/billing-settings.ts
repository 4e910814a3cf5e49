import type { PaymentProvider } from '../../contracts/billing.ts';
import type { Settings } from '../../platform/context.ts';
import type { StripeBilling } from '../../platform/stripe/stripe-billing.ts';

declare module '../../platform/context.ts' {
  interface Settings {
    /** Null when nobody collects payments: a tier changes at once. */
    stripeBilling: StripeBilling | null;
    stripeBillingWebhookSecret: string | null;
  }
}

export const paymentProviderOf = ({ stripeBilling }: Settings): PaymentProvider => (stripeBilling ? 'stripe' : 'none');
