import { join } from 'node:path';
import type { Secrets } from '../installation/data-folder.ts';
import { type Addresses, systemSettings } from '../installation/system-settings.ts';
import type { LocalStack } from '../stack/index.ts';
import { findListeningPorts } from '../stack/listening.ts';
import type { Environment } from '../stack/programs.ts';
import { type ProcessPlan, type Supervised, supervise, type Watch } from './supervise.ts';
import type { SystemPorts } from './system-ports.ts';

export interface SystemProcesses {
  api: Supervised;
  worker: Supervised;
  sandbox: Supervised;
  /** Null unless `PAYPAL_DOUBLE` asks for it. */
  paypal: Supervised | null;
}

export interface ProcessSettings {
  env: Environment;
  services: LocalStack;
  addresses: Addresses;
  ports: SystemPorts;
  secrets: Secrets;
  workflowBundle: string;
}

/** Starts all concurrently; when one fails, the others are stopped. */
export const startProcesses = async (given: ProcessSettings, watch: Watch): Promise<SystemProcesses> => {
  const plans = await planProcesses(given);
  const starting = [
    supervise(plans.api, watch),
    supervise(plans.worker, watch),
    supervise(plans.sandbox, watch),
    plans.paypal && supervise(plans.paypal, watch),
  ] as const;
  try {
    const [api, worker, sandbox, paypal] = await Promise.all(starting);
    return { api, worker, sandbox, paypal };
  } catch (error) {
    const settled = await Promise.allSettled(starting);
    await Promise.all(settled.map((each) => (each.status === 'fulfilled' ? each.value?.stop() : undefined)));
    throw error;
  }
};

/** Work in flight still needs the providers, so they are stopped last. */
export const stopProcesses = async ({ api, worker, sandbox, paypal }: SystemProcesses): Promise<void> => {
  await Promise.all([api.stop(), worker.stop()]);
  await Promise.all([sandbox.stop(), paypal?.stop()]);
};

/** A setting of `npm start`: a double of PayPal's sandbox runs beside the sandbox provider. */
const isPayPalDoubled = (env: Environment): boolean => env['PAYPAL_DOUBLE'] === 'true';

/** The stop timeouts are longer than the shutdown timeouts of the processes themselves. */
const planProcesses = async (
  given: ProcessSettings,
): Promise<Record<'api' | 'worker' | 'sandbox', ProcessPlan> & { paypal: ProcessPlan | null }> => {
  const { env, services, addresses, ports, secrets } = given;
  const { origin, sandboxUrl } = addresses;
  const shared = { NODE_COMPILE_CACHE: compileCacheIn(services.directory.path) };
  const settings = {
    ...systemSettings(env, addresses, secrets),
    ...shared,
    ...(isPayPalDoubled(env) && { PAYPAL_API_URL: `http://127.0.0.1:${ports.paypal}` }),
    API_PORT: String(ports.api),
    WORKER_HEALTH_PORT: String(ports.health),
    WORKFLOW_BUNDLE: given.workflowBundle,
    WEBHOOK_DENIED_ADDRESSES: (await systemAddresses(services, ports)).join(','),
  };
  const sandboxSettings = {
    ...env,
    ...shared,
    ENVIRONMENT: 'development',
    SANDBOX_PORT: String(ports.sandbox),
    SANDBOX_API_KEY: secrets.sandboxApiKey,
    SANDBOX_NOTIFICATION_SECRET: secrets.sandboxNotificationSecret,
    SANDBOX_NOTIFICATION_URL: `${origin}/api/integrations/rails/sandbox`,
    SANDBOX_STORE: join(services.directory.path, 'sandbox.jsonl'),
  };
  // No other worker runs that could take over tasks, so shutdown does not wait for them.
  const workerSettings = {
    TEMPORAL_POLL_SHUTDOWN_INTERRUPT_WAIT_MS: '500',
    ...settings,
    METRICS_PORT: String(ports.workerMetrics),
  };
  return {
    api: {
      name: 'api',
      env: { ...settings, METRICS_PORT: String(ports.apiMetrics) },
      ports: [ports.api, ports.apiMetrics],
      healthUrl: `${origin}/health/ready`,
      stopTimeoutMs: 35_000,
    },
    worker: {
      name: 'worker',
      env: workerSettings,
      ports: [ports.health, ports.workerMetrics],
      healthUrl: `http://127.0.0.1:${ports.health}/health/live`,
      stopTimeoutMs: 50_000,
    },
    sandbox: {
      name: 'sandbox',
      env: sandboxSettings,
      ports: [ports.sandbox],
      healthUrl: `${sandboxUrl}/healthz`,
      stopTimeoutMs: 10_000,
    },
    paypal: isPayPalDoubled(env) ? planPayPal(given, shared) : null,
  };
};

const planPayPal = ({ env, services, ports }: ProcessSettings, shared: Environment): ProcessPlan => ({
  name: 'paypal-double',
  env: {
    ...env,
    ...shared,
    ENVIRONMENT: 'development',
    PAYPAL_DOUBLE_PORT: String(ports.paypal),
    PAYPAL_DOUBLE_STORE: join(services.directory.path, 'paypal.jsonl'),
  },
  ports: [ports.paypal],
  healthUrl: `http://127.0.0.1:${ports.paypal}/healthz`,
  stopTimeoutMs: 10_000,
});

/** Node caches compiled code there, which saves a third of the startup time. Not in a folder that other users can write to. */
export const compileCacheIn = (folder: string): string => join(folder, 'compile-cache');

/**
 * Addresses that webhooks must not reach, although all other ports of this machine are allowed. The Temporal server opens more
 * ports than configured, and one of them starts workflows over plain HTTP.
 */
const systemAddresses = async (services: LocalStack, ports: SystemPorts): Promise<string[]> => {
  const pids = Object.values(services.pids).filter((pid) => pid !== null);
  const listening = (await Promise.all(pids.map(findListeningPorts))).flatMap((ports) => ports ?? []);
  const known = [services.databaseUrl, services.redisUrl, `tcp://${services.temporalAddress}`, services.temporalUiUrl]
    .flatMap((url) => (url === null ? [] : (URL.parse(url) ?? [])))
    .filter((url) => ['127.0.0.1', 'localhost'].includes(url.hostname))
    .map((url) => Number(url.port));
  const all = new Set([
    ports.api,
    ports.health,
    ports.apiMetrics,
    ports.workerMetrics,
    ports.sandbox,
    ports.paypal,
    ...known,
    ...listening,
  ]);
  return [...all].filter((port) => port > 0).map((port) => `127.0.0.1:${port}`);
};
