import { RAIL_NAMES, railsThatPay } from '../../../src/contracts/rails.ts';
import { assertRailsUsable, createRails, RAIL_DEFINITIONS } from '../../../src/domains/payouts/rails/rails.ts';
import { sepaRail } from '../../../src/domains/payouts/rails/sepa/sepa.ts';
import { readSandboxSettings } from '../../../src/local/sandbox-provider/settings.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { generateSigningSecret } from '../../../src/platform/crypto/standard-webhooks.ts';
import { sepaAccount, sepaOrder } from '../../support/rails/sepa-bank.ts';

const sandboxConfig = {
  SANDBOX_URL: 'http://127.0.0.1:1',
  SANDBOX_API_KEY: 'k',
  SANDBOX_NOTIFICATION_SECRET: generateSigningSecret(),
};

test('every rail has a definition of its name', () => {
  expect(Object.values(RAIL_DEFINITIONS).map(({ name }) => name)).toEqual(Object.keys(RAIL_DEFINITIONS));
  expect(Object.keys(RAIL_DEFINITIONS).sort()).toEqual([...RAIL_NAMES].sort());
});

test('the sandbox rail exists once it is configured', async () => {
  expect(createRails({}, systemClock).find('sandbox')).toBeNull();
  const rails = createRails(sandboxConfig, systemClock);
  expect(rails.find('sandbox')).toMatchObject({ name: 'sandbox', facts: { repeatWindowMs: 86_400_000 } });
  await rails.close();
});

test('the manual rail sends nothing', () => {
  expect(createRails({}, systemClock).find('manual')).toBeNull();
});

const IN_SANDBOX = { paypal: 'sandbox', bank_transfer: 'sandbox' } as const;

test('a rail in use requires its settings, and the sandbox rail is rejected in production', () => {
  const environment = { ENVIRONMENT: 'development' };
  expect(() => assertRailsUsable({ paypal: 'manual', bank_transfer: 'manual' }, { ENVIRONMENT: 'production' })).not.toThrow();
  expect(() => assertRailsUsable(IN_SANDBOX, { ...sandboxConfig, ...environment })).not.toThrow();
  expect(() => assertRailsUsable({ paypal: 'manual', bank_transfer: 'sandbox' }, environment)).toThrow(
    'The sandbox rail requires SANDBOX_URL, SANDBOX_API_KEY, SANDBOX_NOTIFICATION_SECRET',
  );
  expect(() => assertRailsUsable(IN_SANDBOX, { ...sandboxConfig, ENVIRONMENT: 'production' })).toThrow('ENVIRONMENT=production');
});

test('the sandbox provider does not start in production, and names missing settings without showing values', () => {
  const env = { SANDBOX_API_KEY: 'a-key-of-the-tests', SANDBOX_NOTIFICATION_SECRET: generateSigningSecret() };
  expect(readSandboxSettings(env)).toMatchObject({ SANDBOX_PORT: 0, SANDBOX_SETTLE_MS: 300 });
  expect(() => readSandboxSettings({ ...env, ENVIRONMENT: 'production' })).toThrow('ENVIRONMENT=production');
  expect(() => readSandboxSettings({ ...env, SANDBOX_API_KEY: 'short-value' })).toThrow(/SANDBOX_API_KEY(?!.*short-value)/s);
});

test('bank transfers are paid by rails that take accounts, and such a rail refuses details of PayPal', () => {
  expect(railsThatPay('bank_transfer')).toEqual(['manual', 'sandbox', 'sepa']);
  expect(railsThatPay('paypal')).toEqual(['manual', 'paypal', 'sandbox']);
  const account = sepaAccount();
  const order = { amountMinor: 1_000, currency: 'eur' };
  expect(sepaRail.canPay({ ...order, details: sepaOrder(1, 1_000).details }, account)).toBeNull();
  const details = {
    method: 'paypal',
    paypalEmail: 'ada@example.com',
    bankIban: null,
    bankBic: null,
    bankAccountHolder: null,
  } as const;
  expect(sepaRail.canPay({ ...order, details }, account)).toBe('destination');
});
