import type { StripeSubscription } from '../../../src/domains/billing/stripe-billing.calls.ts';
import { billingStateOf } from '../../../src/domains/billing/subscription-state.rules.ts';
import { billingRequirementOf } from '../../../src/domains/merchants/billing-requirement.rules.ts';

const AT = new Date('2026-03-01T00:00:00Z');
const DUE = new Date('2026-03-15T00:00:00Z');
const subscription = (status: string, more: Partial<StripeSubscription> = {}): StripeSubscription => ({
  id: 'sub_1',
  customerId: 'cus_1',
  status,
  tier: 'growth',
  paymentUrl: 'https://invoice.example',
  ...more,
});

it.each(['active', 'trialing'])('%s grants the tier and ends a grace period', (status) => {
  expect(billingStateOf(subscription(status), DUE, AT)).toEqual({
    merchant: { billingTier: 'growth', paymentStatus: 'active', graceEndsAt: null },
    subscription: { subscriptionId: 'sub_1', requestedTier: null, paymentUrl: null },
  });
});

it('an incomplete subscription grants nothing before it is paid', () => {
  expect(billingStateOf(subscription('incomplete'), null, AT)).toEqual({
    merchant: { paymentStatus: 'incomplete' },
    subscription: { subscriptionId: 'sub_1', requestedTier: 'growth', paymentUrl: 'https://invoice.example' },
  });
});

it.each(['past_due', 'unpaid', 'paused'])('%s begins a grace period of 14 days, once', (status) => {
  const first = billingStateOf(subscription(status), null, AT);
  expect(first?.merchant).toEqual({ billingTier: 'growth', paymentStatus: 'past_due', graceEndsAt: DUE });
  const later = billingStateOf(subscription(status), DUE, new Date('2026-03-09T00:00:00Z'));
  expect(later?.merchant.graceEndsAt).toEqual(DUE);
});

it.each(['canceled', 'incomplete_expired'])('%s falls back to the free tier', (status) => {
  expect(billingStateOf(subscription(status), DUE, AT)).toEqual({
    merchant: { billingTier: 'free', paymentStatus: 'active', graceEndsAt: null },
    subscription: { subscriptionId: null, requestedTier: null, paymentUrl: null },
  });
});

it('a price of no tier leaves the tier as it is, and a status that is not known changes nothing', () => {
  expect(billingStateOf(subscription('active', { tier: null }), null, AT)?.merchant).toEqual({
    paymentStatus: 'active',
    graceEndsAt: null,
  });
  expect(billingStateOf(subscription('thawing'), null, AT)).toBeNull();
});

it.each([
  ['free', null, false, 'not_required'],
  ['free', null, true, 'required'],
  ['growth', null, false, 'active'],
  ['growth', null, true, 'required'],
  ['growth', new Date(AT.getTime() + 1), true, 'grace_period'],
  ['growth', AT, false, 'restricted'],
] as const)(
  'the requirement of %s with a grace period until %s, above its tier: %s, is %s',
  (billingTier, graceEndsAt, isAboveTier, expected) => {
    expect(billingRequirementOf({ billingTier, graceEndsAt, isAboveTier }, AT)).toBe(expected);
  },
);
