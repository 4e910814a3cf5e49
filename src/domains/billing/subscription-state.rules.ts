import { GRACE_DAYS, type PaidTier } from '../../contracts/billing.ts';
import { after, DAY_MS } from '../../platform/clock.ts';
import { type AppError, conflict } from '../../platform/errors.ts';
import type { BillingChanges } from '../merchants/index.ts';
import type { StripeSubscription } from './stripe-billing.calls.ts';

/** What becomes of the subscription that a merchant has here. */
export interface SubscriptionChanges {
  subscriptionId: string | null;
  /** Chosen, and granted once it is paid. */
  requestedTier: PaidTier | null;
  paymentUrl: string | null;
}

export interface BillingState {
  merchant: BillingChanges;
  subscription: SubscriptionChanges;
}

/**
 * The state that a subscription at Stripe leads to, whatever was before; null for a status that is not known. `at`: when a payment
 * failed, for the grace period of one that was in order until then.
 */
export const billingStateOf = (read: StripeSubscription, graceEndsAt: Date | null, at: Date): BillingState | null => {
  const { id: subscriptionId, paymentUrl } = read;
  const billingTier = read.tier === null ? {} : { billingTier: read.tier };
  switch (read.status) {
    case 'active':
    case 'trialing':
      return {
        merchant: { ...billingTier, paymentStatus: 'active', graceEndsAt: null },
        subscription: { subscriptionId, requestedTier: null, paymentUrl: null },
      };
    case 'incomplete':
      return {
        merchant: { paymentStatus: 'incomplete' },
        subscription: { subscriptionId, requestedTier: read.tier, paymentUrl },
      };
    case 'past_due':
    case 'unpaid':
    case 'paused':
      return {
        merchant: { ...billingTier, paymentStatus: 'past_due', graceEndsAt: graceEndsAt ?? after(at, GRACE_DAYS * DAY_MS) },
        subscription: { subscriptionId, requestedTier: null, paymentUrl },
      };
    case 'canceled':
    case 'incomplete_expired':
      return {
        merchant: { billingTier: 'free', paymentStatus: 'active', graceEndsAt: null },
        subscription: { subscriptionId: null, requestedTier: null, paymentUrl: null },
      };
    default:
      return null;
  }
};

/** Whether nothing is left to pay for. */
export const hasEnded = ({ status }: StripeSubscription): boolean => status === 'canceled' || status === 'incomplete_expired';

/** Replacing a subscription during its payment would charge for nothing. */
export const subscriptionBeingPaid = (): AppError =>
  conflict('SUBSCRIPTION_IN_PROGRESS', 'A payment for the subscription is in progress. Try again when it has ended');

export const subscriptionInProgress = (): AppError =>
  conflict('SUBSCRIPTION_IN_PROGRESS', 'Another request is subscribing this merchant. Try again in a moment');
