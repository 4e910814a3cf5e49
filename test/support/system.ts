import { installTemporalRuntime, startTemporalWorkers } from '../../activities/temporal-workers.ts';
import type { PayoutPatience } from '../../src/contracts/workflows.ts';
import { QUEUES } from '../../src/contracts/workflows.ts';
import { findFreePort } from '../../src/local-stack/index.ts';
import { createDispatch } from '../../src/relay/dispatch.ts';
import { createRelay, type Relay } from '../../src/relay/relay.ts';
import { routeOf } from '../../src/relay/routing.ts';
import { openTemporal, type TemporalClient } from '../../src/relay/temporal-client.ts';
import { openTestApi, type TestApi, type TestEnvironment } from './api.ts';
import { unique } from './factories.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from './sandbox.ts';

/** Story times of tests. */
export const HURRY: PayoutPatience = { lookUpMs: 200, lookUpMaxMs: 400, remindAfterMs: [300, 600] };

export interface TestSystem extends TestApi {
  origin: string;
  sandbox: Sandbox;
  relay: Relay;
  temporal: TemporalClient;
}

export interface SystemOptions {
  patience?: PayoutPatience;
  sandbox?: SandboxOptions;
  env?: TestEnvironment;
  /** Relay and workers run from the start unless told otherwise. */
  work?: boolean;
}

let installed = false;

/** The whole system in one process, but for the provider: API on a real port, relay, workers, on queues of its own. */
export const openTestSystem = async (options: SystemOptions = {}): Promise<TestSystem> => {
  const port = await findFreePort(0);
  const origin = `http://127.0.0.1:${port}`;
  const sandbox = await startSandbox({ settleMs: 50, noticeUrl: `${origin}/api/integrations/rails/sandbox`, ...options.sandbox });
  const api = await openTestApi({
    API_PORT: String(port),
    PUBLIC_URL: origin,
    RAIL_PAYPAL: 'sandbox',
    SANDBOX_URL: sandbox.url,
    SANDBOX_API_KEY: sandbox.apiKey,
    SANDBOX_NOTICE_SECRET: sandbox.noticeSecret,
    TEMPORAL_QUEUE_PREFIX: `test-${unique()}-`,
    WORKFLOW_BUNDLE: process.env['TEST_WORKFLOW_BUNDLE'],
    WORKER_CACHED_WORKFLOWS: '100',
    ...options.env,
  });
  await api.app.listen({ host: '127.0.0.1', port });
  const { runtime } = api;
  const { config } = runtime;
  if (!installed) installTemporalRuntime(runtime);
  installed = true;
  const temporal = openTemporal({ address: config.TEMPORAL_ADDRESS, namespace: config.TEMPORAL_NAMESPACE, tls: false });
  const relay = createRelay({
    orm: runtime.orm,
    ids: runtime.ids,
    log: runtime.log,
    dispatch: createDispatch(temporal.client, config.TEMPORAL_QUEUE_PREFIX),
    route: (entry) => routeOf(entry, options.patience ?? HURRY),
    pollMs: 20,
  });
  const relayed = options.work === false ? Promise.resolve() : relay.run();
  const workers = options.work === false ? null : startTemporalWorkers(runtime, config, [QUEUES.payouts, QUEUES.webhooks]);
  return {
    ...api,
    origin,
    sandbox,
    relay,
    temporal,
    async close() {
      relay.stop();
      await Promise.all([relayed, workers?.stop()]);
      await temporal.close();
      await sandbox.stop();
      await api.close();
    },
  };
};

/** Asks until the answer is there; a test that waits for what never comes fails with what it saw last. */
export const until = async <T>(look: () => Promise<T>, isThere: (seen: T) => boolean, withinMs = 15_000): Promise<T> => {
  const end = Date.now() + withinMs;
  for (;;) {
    const seen = await look();
    if (isThere(seen)) return seen;
    if (Date.now() > end) throw new Error(`Never came; last seen: ${JSON.stringify(seen)?.slice(0, 2_000)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};
