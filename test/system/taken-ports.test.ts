import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openProcesses } from '../../src/local/demo/open-processes.ts';
import { stopProcesses } from '../../src/local/demo/processes.ts';
import type { SystemPorts } from '../../src/local/demo/system-ports.ts';
import { createSecrets } from '../../src/local/installation/data-folder.ts';
import { findFreePort, type LocalStack, openLocalStack } from '../../src/local/stack/index.ts';
import { unique } from '../support/factories.ts';
import { operatorEnv, runProgram } from '../support/run-program.ts';
import { createTestDatabase, type TestDatabase } from '../support/stack/database.ts';

let folder: string;
let database: TestDatabase;
let stack: LocalStack;
let occupant: Server;
/** Another program listens on it. */
let taken: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-ports-'));
  // The PostgreSQL user passes through when root runs the tests.
  await chmod(folder, 0o711);
  database = await createTestDatabase();
  const env = {
    DATABASE_URL: database.url,
    MIGRATION_DATABASE_URL: database.ownerUrl,
    REDIS_URL: process.env['TEST_REDIS_URL'],
    TEMPORAL_ADDRESS: process.env['TEST_TEMPORAL_ADDRESS'],
  };
  stack = await openLocalStack({ data: { folder: join(folder, 'data') }, env, log: () => {} });
  occupant = createServer().listen(0, '127.0.0.1');
  await once(occupant, 'listening');
  taken = (occupant.address() as AddressInfo).port;
});

afterAll(async () => {
  occupant.close();
  await stack.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const choosePorts = async (): Promise<SystemPorts> => ({
  api: await findFreePort(0),
  health: await findFreePort(0),
  apiMetrics: await findFreePort(0),
  workerMetrics: await findFreePort(0),
  sandbox: await findFreePort(0),
  paypal: await findFreePort(0),
});

test('IN6: the processes of npm start take other ports, each time that another program is faster', async () => {
  const chosen: SystemPorts[] = [];
  const faster = ['api', 'workerMetrics', 'sandbox'] as const;
  const choose = async (): Promise<SystemPorts> => {
    const name = faster[chosen.length];
    const ports = { ...(await choosePorts()), ...(name === undefined ? {} : { [name]: taken }) };
    chosen.push(ports);
    return ports;
  };
  const crashes: string[] = [];
  const watch = {
    directory: stack.directory,
    log: () => {},
    signal: new AbortController().signal,
    onCrash: (report: string) => crashes.push(report),
    restart: false,
    onRestarted: () => {},
  };
  const settings = {
    folder: stack.directory.path,
    env: { ...operatorEnv(database.url), TEMPORAL_QUEUE_PREFIX: `ports-${unique()}-` },
    services: stack,
    secrets: await createSecrets(join(folder, 'data')),
    workflowBundle: process.env['TEST_WORKFLOW_BUNDLE'] ?? '',
  };
  const { addresses, processes, runtime } = await openProcesses(settings, watch, choose);
  expect(chosen).toHaveLength(faster.length + 1);
  expect(addresses.origin).toBe(`http://localhost:${chosen.at(-1)?.api}`);
  expect((await fetch(`${addresses.origin}/health/ready`)).status).toBe(200);
  expect((await fetch(`${addresses.sandboxUrl}/healthz`)).status).toBe(200);
  expect(crashes).toEqual([]);
  await runtime.close();
  await stopProcesses(processes);
});

const SANDBOX = { SANDBOX_API_KEY: 'sandbox-key-for-tests', SANDBOX_NOTIFICATION_SECRET: 'whsec_c2VjcmV0' };
const free = { API_PORT: '0', METRICS_PORT: '0', WORKER_HEALTH_PORT: '0', SANDBOX_PORT: '0', ...SANDBOX };

test.each([
  ['bin/api.ts', 'API_PORT'],
  ['bin/api.ts', 'METRICS_PORT'],
  ['bin/worker.ts', 'WORKER_HEALTH_PORT'],
  ['bin/worker.ts', 'METRICS_PORT'],
  ['bin/sandbox.ts', 'SANDBOX_PORT'],
])('IN6: %s ends with one sentence when its %s is in use, or is no port', async (program, setting) => {
  const run = (port: string) =>
    runProgram([program], operatorEnv(database.url, { ...free, LOG_LEVEL: 'silent', [setting]: port }));
  expect(await run(String(taken))).toEqual({
    code: 1,
    out: '',
    err: `${setting}: port ${taken} of 127.0.0.1 is in use: stop the program that listens there (ss -ltnp lists it), or set another port (EADDRINUSE).\n`,
  });
  const wrong = await run('65536');
  expect(wrong.code).toBe(1);
  expect(wrong.err).toMatch(new RegExp(`^[\\w ]+:\n  ${setting}:? .*65535.*\n$`));
});

test('IN6: the codec server says in one line that its port is in use', async () => {
  const keys = { TEMPORAL_PAYLOAD_KEYS: `a:${Buffer.alloc(32, 1).toString('base64')}` };
  const args = ['bin/admin.ts', 'codec-server', '--origin', 'https://temporal.example.com', '--port', String(taken)];
  const { code, err } = await runProgram(args, operatorEnv(database.url, keys));
  expect([code, err]).toEqual([1, expect.stringMatching(/^error: --port: port \d+ of 127\.0\.0\.1 is in use: [^\n]+\n$/)]);
});

/** With a temporary folder of its own, so that it does not wait while the other one chooses its ports. */
const startOnce = async (name: string) => {
  const temporary = join(folder, name, 'tmp');
  await mkdir(temporary, { recursive: true });
  const { DATABASE_URL: _db, REDIS_URL: _redis, TEMPORAL_ADDRESS: _temporal, ...env } = process.env;
  const own = { ...env, TMPDIR: temporary, TRIBUTARY_DATA: join(folder, name, 'data') };
  return runProgram(['bin/start.ts', '--once'], own, { timeoutMs: 300_000 });
};

test('IN6: two systems that are started at the same time both run their demo to the end', async () => {
  const runs = await Promise.all([startOnce('one'), startOnce('two')]);
  expect(runs.map(({ code, err }) => ({ code, err }))).toEqual([
    { code: 0, err: '' },
    { code: 0, err: '' },
  ]);
  const [first, second] = runs.map(({ out }) => /^ *API +(http:\S+)/m.exec(out)?.[1]);
  expect(first).toBeDefined();
  expect(second).not.toBe(first);
}, 360_000);
