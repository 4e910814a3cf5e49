import { findFreePort } from '../ports.ts';
import type { LocalStack } from '../index.ts';
import type { Environment } from '../programs.ts';
import { listeningPorts } from './listening-ports.ts';
import type { Secrets } from './secrets-file.ts';
import { systemSettings } from './settings.ts';
import { type ProcessPlan, type Supervised, supervise, type Watch } from './supervise.ts';

export interface SystemPorts {
  api: number;
  health: number;
  sandbox: number;
  receiver: number;
}

export interface SystemProcesses {
  api: Supervised;
  worker: Supervised;
  sandbox: Supervised;
}

/** Each its usual port, or the next one that is free and not another's. */
export const choosePorts = async (): Promise<SystemPorts> => {
  const taken = new Set<number>();
  const choose = async (preferred: number): Promise<number> => {
    let port = await findFreePort(preferred);
    while (taken.has(port)) port = await findFreePort(port + 1);
    taken.add(port);
    return port;
  };
  return { api: await choose(3000), health: await choose(3001), sandbox: await choose(3400), receiver: await choose(3500) };
};

interface Given {
  env: Environment;
  stack: LocalStack;
  ports: SystemPorts;
  secrets: Secrets;
  workflowBundle: string;
  watch: Watch;
}

/** The three processes of ours. The worker's and the API's drains are longer than what they themselves allow for it. */
export const planProcesses = async ({ env, stack, ports, secrets, workflowBundle }: Given): Promise<Record<keyof SystemProcesses, ProcessPlan>> => {
  const { databaseUrl, redisUrl, temporalAddress } = stack;
  const origin = `http://127.0.0.1:${ports.api}`;
  const sandboxUrl = `http://127.0.0.1:${ports.sandbox}`;
  const settings = {
    ...systemSettings(env, { origin, databaseUrl, redisUrl, temporalAddress, sandboxUrl }, secrets),
    API_PORT: String(ports.api),
    WORKER_HEALTH_PORT: String(ports.health),
    WORKFLOW_BUNDLE: workflowBundle,
    WEBHOOK_REFUSED_INNER: (await ownAddresses(stack, ports)).join(','),
  };
  const sandboxSettings = {
    ...env,
    ENVIRONMENT: 'development',
    SANDBOX_PORT: String(ports.sandbox),
    SANDBOX_API_KEY: secrets.sandboxApiKey,
    SANDBOX_NOTICE_SECRET: secrets.sandboxNoticeSecret,
    SANDBOX_NOTICE_URL: `${origin}/api/integrations/rails/sandbox`,
    SANDBOX_STORE: `${stack.directory.path}/sandbox.jsonl`,
  };
  return {
    api: { name: 'api', env: settings, healthUrl: `${origin}/health/ready`, drainMs: 30_000 },
    worker: { name: 'worker', env: settings, healthUrl: `http://127.0.0.1:${ports.health}/health/live`, drainMs: 50_000 },
    sandbox: { name: 'sandbox', env: sandboxSettings, healthUrl: `${sandboxUrl}/healthz`, drainMs: 10_000 },
  };
};

/** Started side by side; when one fails, the others are stopped again. */
export const startProcesses = async (given: Given): Promise<SystemProcesses> => {
  const plans = await planProcesses(given);
  const starting = [supervise(plans.api, given.watch), supervise(plans.worker, given.watch), supervise(plans.sandbox, given.watch)] as const;
  try {
    const [api, worker, sandbox] = await Promise.all(starting);
    return { api, worker, sandbox };
  } catch (error) {
    const settled = await Promise.allSettled(starting);
    await Promise.all(settled.map((each) => (each.status === 'fulfilled' ? each.value.stop() : undefined)));
    throw error;
  }
};

/** Work in flight still needs the provider, so that goes last. */
export const stopProcesses = async ({ api, worker, sandbox }: SystemProcesses): Promise<void> => {
  await Promise.all([api.stop(), worker.stop()]);
  await sandbox.stop();
};

/** What no webhook may reach, although every other port of this machine is allowed. */
const ownAddresses = async (stack: LocalStack, ports: SystemPorts): Promise<string[]> => {
  const pids = Object.values(stack.pids).filter((pid) => pid !== null);
  const listening = (await Promise.all(pids.map(listeningPorts))).flat();
  const known = [stack.databaseUrl, stack.redisUrl, `tcp://${stack.temporalAddress}`, stack.temporalUiUrl]
    .flatMap((url) => (url === null ? [] : (URL.parse(url) ?? [])))
    .filter((url) => ['127.0.0.1', 'localhost'].includes(url.hostname))
    .map((url) => Number(url.port));
  const all = new Set([ports.api, ports.health, ports.sandbox, ...known, ...listening]);
  return [...all].filter((port) => port > 0).map((port) => `127.0.0.1:${port}`);
};
