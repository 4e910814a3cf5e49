import type { Mount } from '../../src/api/mount.ts';
import { APPLICATION_TIMING, type ApplicationTiming } from '../../src/contracts/applications.ts';
import type { FlagTiming } from '../../src/contracts/flags.ts';
import type { MailTiming } from '../../src/contracts/mail.ts';
import { PAYOUT_LIMITS, type PayoutLimits } from '../../src/contracts/payouts.ts';
import type { RunTiming } from '../../src/contracts/workflows/payout-runs.ts';
import type { PayoutTiming } from '../../src/contracts/workflows/payouts.ts';
import { findFreePort } from '../../src/local/stack/index.ts';
import type { TemporalClient } from '../../src/temporal/client.ts';
import type { Reconciler } from '../../src/temporal/relay/reconciler.ts';
import type { Relay } from '../../src/temporal/relay/relay.ts';
import { buildWorker, type WorkerOptions } from '../../src/worker/build-worker.ts';
import { type OwnTestApi, openTestApi, type TestEnvironment } from './api.ts';
import { unique } from './factories.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from './sandbox.ts';
import { useForFile } from './use-for-file.ts';

/** Payout timing for tests: milliseconds instead of minutes and days. */
export const FAST_TIMING: PayoutTiming = {
  lookUpMs: 200,
  lookUpMaxMs: 400,
  remindAfterMs: [300, 600],
  approval: { remindAfterMs: [], expireAfterMs: 60_000 },
};

/** Timing of payout runs. */
export const FAST_RUN_TIMING: RunTiming = { checkMs: 100, checkMaxMs: 400, windowMs: 100 };

/** Timing without reminders. */
export const FAST_FLAG_TIMING: FlagTiming = { remindAfterMs: [], recheckMs: 50, recheckMaxMs: 200 };

/** Allows as many resends as in production, with pauses of milliseconds. */
export const FAST_LIMITS: PayoutLimits = {
  ...PAYOUT_LIMITS,
  resendPausesMs: [50, 100, 150, 200, 250],
  sendLeaseMs: 1_000,
};

export interface TestSystem extends OwnTestApi {
  origin: string;
  sandbox: Sandbox;
  relay: Relay;
  reconciler: Reconciler;
  temporal: TemporalClient;
}

export interface SystemOptions {
  timing?: PayoutTiming;
  runTiming?: RunTiming;
  flagTiming?: FlagTiming;
  mailTiming?: MailTiming;
  limits?: PayoutLimits;
  applicationTiming?: ApplicationTiming;
  sandbox?: SandboxOptions;
  env?: TestEnvironment;
  reconcile?: WorkerOptions['reconcile'];
  /** Whether relay and workers run. Default: true. */
  work?: boolean;
  /** Host in `PUBLIC_URL`: passkeys do not work for an address. */
  hostname?: 'localhost';
  /** See TestApiOptions. */
  asOwner?: boolean;
  /** Replaces those of production. */
  mounts?: readonly Mount[];
}

/** API on a real port, relay and workers in this process, with their own task queues; the provider is a child process. */
export const openTestSystem = async (options: SystemOptions = {}): Promise<TestSystem> => {
  const port = await findFreePort(0);
  const origin = `http://${options.hostname ?? '127.0.0.1'}:${port}`;
  const sandbox = await startSandbox({
    settleMs: 50,
    notificationUrl: `http://127.0.0.1:${port}/api/integrations/rails/sandbox`,
    ...options.sandbox,
  });
  const settings = {
    API_PORT: String(port),
    PUBLIC_URL: origin,
    RAIL_PAYPAL: 'sandbox',
    SANDBOX_URL: sandbox.url,
    SANDBOX_API_KEY: sandbox.apiKey,
    SANDBOX_NOTIFICATION_SECRET: sandbox.notificationSecret,
    TEMPORAL_QUEUE_PREFIX: `test-${unique()}-`,
    WORKFLOW_BUNDLE: process.env['TEST_WORKFLOW_BUNDLE'],
    WORKER_CACHED_WORKFLOWS: '100',
    WORKER_HEALTH_PORT: '0',
    METRICS_PORT: '0',
    ...options.env,
  };
  const api = await openTestApi(settings, {
    asOwner: options.asOwner,
    ...(options.mounts ? { mounts: options.mounts } : {}),
  });
  await api.app.listen({ host: '127.0.0.1', port });
  const { runtime } = api;
  runtime.settings.payoutLimits = options.limits ?? FAST_LIMITS;
  runtime.settings.applicationTiming = options.applicationTiming ?? APPLICATION_TIMING;
  const worker = buildWorker(runtime, runtime.config, {
    timing: options.timing ?? FAST_TIMING,
    runTiming: options.runTiming ?? FAST_RUN_TIMING,
    flagTiming: options.flagTiming ?? FAST_FLAG_TIMING,
    ...(options.mailTiming ? { mailTiming: options.mailTiming } : {}),
    pollMs: 20,
    ...(options.reconcile ? { reconcile: options.reconcile } : {}),
  });
  if (options.work !== false) await worker.start();
  return {
    ...api,
    origin,
    sandbox,
    relay: worker.relay,
    reconciler: worker.reconciler,
    temporal: worker.temporal,
    async close() {
      await worker.close();
      await sandbox.stop();
      await api.close();
    },
  };
};

/** A system for all tests of this file. */
export const useTestSystem = (options: SystemOptions = {}): TestSystem => useForFile(() => openTestSystem(options));
