import { defaultTierOf, loadConfig } from '../../../src/config.ts';

const load = (more: Record<string, string>) =>
  loadConfig({
    DATABASE_URL: 'postgres://x',
    REDIS_URL: 'redis://x',
    ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
    ...more,
  });

const BILLING = {
  STRIPE_SECRET_KEY: 'sk_test_1',
  STRIPE_BILLING_WEBHOOK_SECRET: 'whsec_1',
  STRIPE_BILLING_PRICES: 'starter:price_1,growth:price_2,pro:price_3',
};

test.each([
  ['that collects no payments', {}, 'pro'],
  ['with an empty DEFAULT_TIER', { DEFAULT_TIER: '' }, 'pro'],
  ['whose programs are connected to Stripe', { STRIPE_SECRET_KEY: 'sk_test_1' }, 'pro'],
  ['whose merchants choose their tier', { BILLING_SELF_SERVICE: 'true' }, 'pro'],
  ['that merchants pay', BILLING, 'free'],
  ['that merchants pay, with DEFAULT_TIER', { ...BILLING, DEFAULT_TIER: 'growth' }, 'growth'],
  ['that collects no payments, with DEFAULT_TIER', { DEFAULT_TIER: 'free' }, 'free'],
])('IN8: on a server %s, new merchants get their tier by %p', (_what, settings, tier) => {
  expect(defaultTierOf(load(settings))).toBe(tier);
});

test('a tier that does not exist is refused', () => {
  expect(() => load({ DEFAULT_TIER: 'gold' })).toThrow('DEFAULT_TIER');
});
