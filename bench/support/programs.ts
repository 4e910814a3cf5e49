import { findFreePort } from '../../src/local/stack/index.ts';
import { generateSigningSecret } from '../../src/platform/crypto/standard-webhooks.ts';
import { type Environment, startServer } from './server.ts';
import type { BenchStack } from './stack.ts';

/** API, worker and provider that confirms at once. `more`: settings of the worker; `both`: settings of the API too. */
export const startPrograms = async (stack: BenchStack, more: Environment = {}, both: Environment = {}) => {
  const [apiPort, sandboxPort] = [await findFreePort(0), await findFreePort(0)];
  const sandbox = { SANDBOX_API_KEY: 'a-key-for-the-benchmark', SANDBOX_NOTIFICATION_SECRET: generateSigningSecret() };
  const origin = `http://127.0.0.1:${apiPort}`;
  const rail = { RAIL_PAYPAL: 'sandbox', SANDBOX_URL: `http://127.0.0.1:${sandboxPort}`, PUBLIC_URL: origin };
  const notifications = { SANDBOX_SETTLE_MS: '0', SANDBOX_NOTIFICATION_URL: `${origin}/api/integrations/rails/sandbox` };
  const env = { ...stack.env, ...sandbox, ...rail, ...both };
  const start = (name: string, portSetting: string, readyPath: string, port?: number) =>
    startServer({
      name,
      program: `bin/${name}.ts`,
      env: { ...(name === 'sandbox' ? { ...stack.env, ...sandbox, ...notifications } : env), ...(name === 'worker' ? more : {}) },
      portSetting,
      readyPath,
      pinned: false,
      ...(port === undefined ? {} : { port }),
    });
  const programs = [
    await start('api', 'API_PORT', '/health/ready', apiPort),
    await start('sandbox', 'SANDBOX_PORT', '/healthz', sandboxPort),
    await start('worker', 'WORKER_HEALTH_PORT', '/health/live'),
  ];
  return { env, origin, programs };
};
