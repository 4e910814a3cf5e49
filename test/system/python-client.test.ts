import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openProcessSystem, type ProcessSystem } from '../support/processes.ts';
import { makeWorld } from '../support/python-client/world.ts';
import { findPythonWith } from '../support/python-environment.ts';
import { STRIPE_PLATFORM, type StripeServer, startStripeServer } from '../support/stripe/stripe-server.ts';

const pathOf = (name: string): string => fileURLToPath(new URL(`../support/python-client/${name}`, import.meta.url));

interface Report {
  /** All public methods of the client. */
  methods: string[];
  /** "ok" or an error for each call of a method. */
  outcomes: Record<string, string[]>;
  /** Parts that could not be run to their end, by name. */
  stopped: Record<string, string>;
}

let python: string;
let stripe: StripeServer;
let system: ProcessSystem;
let origin: string;
beforeAll(async () => {
  [python, stripe] = await Promise.all([
    findPythonWith({ name: 'agentref', requirements: pathOf('requirements.txt') }),
    startStripeServer(),
  ]);
  system = await openProcessSystem({
    env: {
      ...STRIPE_PLATFORM,
      STRIPE_API_URL: stripe.url,
      BILLING_SELF_SERVICE: 'true',
      FILES_DIR: join(tmpdir(), 'tributary-test-files'),
    },
  });
  ({ url: origin } = await system.startApi());
});
afterAll(async () => {
  await system.close();
  await stripe.close();
});

const callAll = async (kind: 'sync' | 'async'): Promise<Report> => {
  const world = await makeWorld(system, stripe, `${origin}/api/v1`);
  const running = promisify(execFile)(python, [pathOf('calls.py'), kind], { timeout: 120_000, maxBuffer: 10_000_000 });
  running.child.stdin?.end(JSON.stringify(world));
  return JSON.parse((await running).stdout);
};

test.each(['sync', 'async'] as const)(
  'every method of the Python client 5.1.2 succeeds on a running system, %s',
  async (kind) => {
    const { methods, outcomes, stopped } = await callAll(kind);
    expect(methods).toHaveLength(87);
    expect(methods.filter((method) => !(method in outcomes))).toEqual([]);
    const failed = Object.fromEntries(
      Object.entries(outcomes).flatMap(([method, results]) => {
        const errors = [...new Set(results.filter((result) => result !== 'ok'))];
        return errors.length === 0 ? [] : [[method, errors.join(', ')]];
      }),
    );
    expect({ failed, stopped }).toEqual({ failed: {}, stopped: {} });
  },
);
