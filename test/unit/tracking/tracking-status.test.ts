import { summaryOf, type TrackingFacts, warningsOf } from '../../../src/domains/tracking/tracking-status.rules.ts';

const at = '2026-01-16T09:30:00.000Z';
const complete: TrackingFacts = {
  status: 'active',
  website: 'https://acme.example',
  websiteDomain: 'acme.example',
  hasPaymentSource: true,
  hasTrackedClick: true,
  hasApprovedAffiliate: true,
  stripeConnectedAt: null,
  stripeSecretSetAt: null,
  lastClickAt: at,
  lastSaleAt: at,
  scriptSeenAt: at,
  scriptPage: 'https://acme.example/',
  eventSecretIssuedAt: at,
  eventSecretLastUsedAt: at,
};

test('a complete setup has no warnings', () => {
  expect(warningsOf(complete)).toEqual([]);
  expect(summaryOf([])).toBe('Clicks and sales arrive.');
});

test.each([
  ['PROGRAM_INACTIVE', { status: 'paused' }],
  ['PROGRAM_INACTIVE', { status: 'archived' }],
  ['WEBSITE_MISSING', { website: null, websiteDomain: null }],
  ['SCRIPT_NOT_SEEN', { scriptSeenAt: null, scriptPage: null }],
  ['NO_AFFILIATES', { hasApprovedAffiliate: false }],
  ['NO_CLICKS', { hasTrackedClick: false, lastClickAt: null }],
  ['NO_PAYMENT_SOURCE', { hasPaymentSource: false, eventSecretIssuedAt: null, eventSecretLastUsedAt: null }],
  ['EVENT_SECRET_UNUSED', { eventSecretLastUsedAt: null }],
  ['NO_SALES', { lastSaleAt: null }],
] as const)('%s: %p is missing alone, and the summary says how to fix it', (code, missing) => {
  const warnings = warningsOf({ ...complete, ...missing });
  expect(warnings).toEqual([{ code, message: expect.stringMatching(/^[A-Z].*: [a-z].*\.$/) }]);
  expect(summaryOf(warnings)).toBe(warnings[0]?.message);
});

test('with Stripe connected and no event secret, nothing is unused', () => {
  const facts = { ...complete, stripeConnectedAt: at, eventSecretIssuedAt: null, eventSecretLastUsedAt: null };
  expect(warningsOf(facts)).toEqual([]);
});

test('the summary names the first step and how many follow', () => {
  const [first, second] = warningsOf({ ...complete, websiteDomain: null, lastSaleAt: null });
  expect(summaryOf([first, second].filter((warning) => warning !== undefined))).toBe(`${first?.message} 1 more step after that.`);
});
