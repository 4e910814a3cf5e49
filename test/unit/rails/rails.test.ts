import { createRails } from '../../../src/domains/payouts/rails/rails.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { generateSigningSecret } from '../../../src/platform/crypto/standard-webhooks.ts';
import { readSandboxSettings } from '../../../src/sandbox-provider/settings.ts';

test('the sandbox rail is there when it is set up, the manual rail always', async () => {
  const bare = createRails({}, systemClock);
  expect(bare.find('manual')).toMatchObject({ byHand: true, repeatWindowMs: 0 });
  expect(bare.find('sandbox')).toBeNull();
  const full = createRails(
    { SANDBOX_URL: 'http://127.0.0.1:1', SANDBOX_API_KEY: 'k', SANDBOX_NOTIFICATION_SECRET: generateSigningSecret() },
    systemClock,
  );
  expect(full.find('sandbox')).toMatchObject({ byHand: false, repeatWindowMs: 86_400_000 });
  await full.close();
});

test('the manual rail has no notifications', () => {
  const manual = createRails({}, systemClock).find('manual');
  expect(() => manual?.verifyNotification({}, Buffer.from(''))).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
});

test('the sandbox provider does not start in production, and says what is missing without showing values', () => {
  const env = { SANDBOX_API_KEY: 'a-key-of-the-tests', SANDBOX_NOTIFICATION_SECRET: generateSigningSecret() };
  expect(readSandboxSettings(env)).toMatchObject({ SANDBOX_PORT: 0, SANDBOX_SETTLE_MS: 300 });
  expect(() => readSandboxSettings({ ...env, ENVIRONMENT: 'production' })).toThrow('ENVIRONMENT=production');
  expect(() => readSandboxSettings({ ...env, SANDBOX_API_KEY: 'short-value' })).toThrow(/SANDBOX_API_KEY(?!.*short-value)/s);
});
