import type { Config } from './config.ts';
import { createStripeBilling, type StripeBilling } from './platform/stripe/stripe-billing.ts';
import { createStripeConnect, STRIPE_CALLBACK_PATH, type StripeConnect } from './platform/stripe/stripe-connect.ts';

/** Null where programs cannot connect Stripe accounts. */
export const stripeConnectOf = (config: Config): StripeConnect | null => {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_CONNECT_CLIENT_ID: clientId, STRIPE_API_URL: apiUrl } = config;
  if (secretKey === undefined || clientId === undefined) return null;
  return createStripeConnect({ secretKey, clientId, apiUrl, redirectUri: `${config.PUBLIC_URL}${STRIPE_CALLBACK_PATH}` });
};

/** Null where tiers are not paid by Stripe. */
export const stripeBillingOf = (config: Config): StripeBilling | null => {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_BILLING_PRICES: prices, STRIPE_API_URL: apiUrl } = config;
  return secretKey === undefined || prices === undefined ? null : createStripeBilling({ secretKey, prices, apiUrl });
};
