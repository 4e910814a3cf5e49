import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { assertKnownSchema } from '../../src/local/demo/infrastructure.ts';
import { runSql } from '../../src/local/stack/sql.ts';
import { createTestDatabase } from '../support/stack/database.ts';
import { until } from '../support/until.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const KEYS_OF_STACK = [
  'origin',
  'apiUrl',
  'docsUrl',
  'temporalAddress',
  'temporalUiUrl',
  'databaseUrl',
  'redisUrl',
  'sandboxUrl',
  'mailboxDir',
  'filesDir',
  'merchantKey',
  'affiliateKey',
  'onboardingKey',
  'programId',
  'payableAffiliateId',
  'pids',
];

let folder: string;
/** Keys and objects of the first start. */
let first: Record<string, string>;
/** Shared by tests that leave it running: a start takes long. */
let running: Launcher | undefined;
/** Holds the usual port of the API. */
let usual: Server | undefined;

interface Launcher {
  child: ChildProcess;
  /** Everything printed so far, on both outputs. */
  output(): string;
  /** `from`: the length of the output before. */
  until(text: string, from?: number): Promise<void>;
  ended: Promise<number | null>;
}

const startWith = (servers: Record<string, string | undefined>, ...args: string[]): Launcher => {
  const { DATABASE_URL: _db, REDIS_URL: _redis, TEMPORAL_ADDRESS: _temporal, ...env } = process.env;
  const child = spawn(process.execPath, ['bin/start.ts', ...args], {
    cwd: ROOT,
    env: { ...env, ...servers, TRIBUTARY_DATA: folder },
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => void child.once('exit', (code) => resolve(code)));
  return {
    child,
    output: () => text,
    ended,
    async until(expected, from = 0) {
      const isPrinted = () => text.slice(from).includes(expected);
      await until(`"${expected}" is printed`, () => child.exitCode !== null || isPrinted());
      if (!isPrinted()) throw new Error(`"${expected}" was never printed:\n${text}`);
    },
  };
};

const start = (...args: string[]): Launcher => startWith({}, ...args);

const startOnce = async (...args: string[]): Promise<Launcher> => {
  if (running === undefined || running.child.exitCode !== null) running = start(...args);
  await running.until('Press Ctrl-C to stop');
  return running;
};

/** The terminal and npm each send a signal. */
const pressCtrlC = async ({ child, ended, output }: Launcher): Promise<void> => {
  running = undefined;
  child.kill('SIGINT');
  child.kill('SIGINT');
  expect(await ended).toBe(0);
  expect(output()).toContain('Stopped.');
};

const isOk = (url: string): Promise<boolean> =>
  fetch(url).then(
    (response) => response.ok,
    () => false,
  );

const untilOk = (url: string) => until(`${url} recovers`, () => isOk(url));

const readStack = async () => JSON.parse(await readFile(join(folder, 'stack.json'), 'utf8'));

/** Every process that has the data folder in its command line or environment. */
const leftOver = async (): Promise<string[]> => {
  const { stdout } = await promisify(execFile)('ps', ['axeww', '-o', 'pid=,command='], { maxBuffer: 64 * 1024 * 1024 });
  return stdout.split('\n').filter((line) => line.includes(folder) && !line.includes(' ps axeww'));
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-start-'));
  // The PostgreSQL user passes through when root runs the tests.
  await chmod(folder, 0o711);
  usual = await occupy(3000);
});

afterAll(async () => {
  usual?.close();
  running?.child.kill('SIGTERM');
  await running?.ended;
  await rm(folder, { recursive: true, force: true });
});

/** Nobody can listen on the port until it is closed, whoever holds it. */
const occupy = async (port: number): Promise<Server> => {
  const server = createServer().listen(port, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve).once('error', resolve));
  return server;
};

/** What was printed with the time since the start. */
const stepsOf = (launcher: Launcher): string[] =>
  [...launcher.output().matchAll(/^ *\d+\.\d s {2}(.*)$/gm)].map(([, text]) => text ?? '');

test('IN13: npm start -- --once prints its steps with their times, runs the demo with all its webhooks, exits with 0 and leaves no process behind', async () => {
  const launcher = start('--once');
  expect([await launcher.ended, launcher.output()]).toEqual([0, expect.stringContaining('completed')]);
  for (const type of ['conversion.created', 'payout.created', 'payout.processing', 'payout.completed']) {
    expect(launcher.output()).toMatch(new RegExp(`${type} +signature verified`));
  }
  expect(launcher.output()).toMatch(/\/namespaces\/tributary\/workflows\/payout%2F[0-9a-f-]{36}/);
  expect(await leftOver()).toEqual([]);
  const steps = stepsOf(launcher);
  for (const step of [
    /^Starting Post/,
    /^PostgreSQL is/,
    /^Redis is/,
    /^Temporal is/,
    /schema$/,
    /bundled$/,
    /^The demo/,
    /^API, worker/,
  ]) {
    expect(steps.filter((line) => step.test(line))).toHaveLength(1);
  }
  expect(steps.filter((line) => line.startsWith('Demo: '))).toHaveLength(5);
  first = await readStack();
  expect(Object.keys(first).sort()).toEqual([...KEYS_OF_STACK].sort());
  for (const name of ['stack.json', 'keys.json', 'demo.json']) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
});

test('the printed links sign an owner in to the console and an affiliate in to the portal, once', async () => {
  const { output } = await startOnce();
  const links = [...output().matchAll(/^ {2}(?:Console|Portal), as an \w+ +(\S+)$/gm)].map(([, link = '']) => link);
  const press = async (link: string) => {
    const html = await (await fetch(link)).text();
    const fields = [...html.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)];
    const body = new URLSearchParams(fields.map(([, name = '', value = '']) => [name, value] as [string, string]));
    const headers = { 'sec-fetch-site': 'same-origin' };
    const response = await fetch(link.split('?')[0] ?? '', { method: 'POST', redirect: 'manual', body, headers });
    return response.headers.get('location');
  };
  const opened = [];
  for (const link of [...links, ...links]) opened.push(await press(link));
  expect(opened).toEqual(['/console', '/portal', '/sign-in', '/sign-in']);
});

test('the summary says what the demo paid, whom its run left out, and what is payable now', async () => {
  const { output } = await startOnce();
  const { payableAffiliateId } = await readStack();
  expect(output()).toMatch(/Payout run +2 of 3 affiliates paid, completed, /);
  expect(output()).toContain(': left_out, PAYOUT_DETAILS_MISSING\n');
  expect(output()).toMatch(new RegExp(`Payable now +30\\.00 USD to affiliate ${payableAffiliateId}\n`));
});

test('IN13: a port that is taken is said at the top and in the summary, and a second start prints the URLs of the first', async () => {
  const launcher = await startOnce();
  const stack = await readStack();
  const port = new URL(stack.origin).port;
  expect(port).not.toBe('3000');
  expect(stepsOf(launcher)[0]).toBe(`The API takes port ${port} (port 3000 is in use); --port chooses another`);
  expect(launcher.output()).toContain(`${stack.apiUrl} (port 3000 is in use)\n`);

  const second = start();
  expect(await second.ended).toBe(0);
  for (const shown of [stack.apiUrl, stack.docsUrl, stack.temporalUiUrl, stack.merchantKey])
    expect(second.output()).toContain(shown);
  expect(second.output()).toMatch(/Console, as an owner +http:.+\n +Portal, as an affiliate +http:/);
  expect(second.output()).toContain(`It was running already (process ${launcher.child.pid}).`);
  expect(stepsOf(second)).toEqual([]);
  const other = start('--port', '1');
  expect(await other.ended).toBe(1);
  expect(other.output()).toMatch(/To start it with other options, stop it first/);
  expect(await isOk(`${stack.origin}/health/ready`)).toBe(true);
});

test('IN13: the demo goes on, on the port of --port, after its event secret and the secret of its endpoint were rotated', async () => {
  const launcher = await startOnce();
  const { apiUrl, merchantKey, programId } = await readStack();
  const call = async (method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${merchantKey}`, ...(body ? { 'content-type': 'application/json' } : {}) };
    const response = await fetch(apiUrl + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    expect(response.ok).toBe(true);
    return ((await response.json()) as { data: { id: string }[] }).data;
  };
  // At most three are valid: the one that the demo began with is not among them.
  for (let time = 0; time < 3; time++) await call('POST', `/programs/${programId}/event-secret`);
  const [endpoint] = await call('GET', '/webhooks');
  for (const action of ['rotate-secret', 'revoke-old-secrets']) await call('POST', `/webhooks/${endpoint?.id}/${action}`);
  // The next start finds the demo merchant under its new name.
  await call('PATCH', '/merchant', { companyName: 'Acme' });
  await pressCtrlC(launcher);
  const port = new URL(apiUrl).port;
  const again = await startOnce('--port', port);
  expect((await readStack()).apiUrl).toBe(apiUrl);
  expect(again.output()).toMatch(/signature verified.*Total time from start to completed payout/s);
});

test('T6: a second start keeps the merchant and the keys, restarts whatever is killed, and stops on Ctrl-C', async () => {
  const launcher = await startOnce();
  const { pids, ...stack } = await readStack();
  const { merchantKey, affiliateKey, programId } = first;
  expect(stack).toMatchObject({ merchantKey, affiliateKey, programId });
  expect(Object.values(pids).every((pid) => typeof pid === 'number')).toBe(true);

  process.kill(pids.api, 'SIGKILL');
  await launcher.until('api ended unexpectedly (SIGKILL). The end of ');
  await launcher.until('api restarted');
  const me = await fetch(`${stack.apiUrl}/me`, { headers: { authorization: `Bearer ${stack.merchantKey}` } });
  expect(me.status).toBe(200);

  // T6: the servers come back too, with the same addresses.
  for (const name of ['redis', 'postgres', 'temporal']) {
    const before = launcher.output().length;
    process.kill(pids[name], 'SIGKILL');
    await launcher.until(`Degraded: ${name} is not running`, before);
    await launcher.until(`${name} restarted`, before);
    const [, pid] = new RegExp(`${name} restarted \\(process (\\d+)\\)`).exec(launcher.output().slice(before)) ?? [];
    expect(Number(pid)).not.toBe(pids[name]);
  }
  const { pids: _later, ...stackLater } = await readStack();
  expect(stackLater).toEqual(stack);
  await untilOk(`${stack.origin}/health/ready`);

  await pressCtrlC(launcher);
  expect(await leftOver()).toEqual([]);
});

test('data of an earlier schema is an error that says how to start over', async () => {
  const database = await createTestDatabase();
  await expect(assertKnownSchema(database.url, '/data')).resolves.toBeUndefined();
  await runSql(database.ownerUrl, "update migration set name = '20261121000000_foundation'");
  await expect(assertKnownSchema(database.url, '/data')).rejects.toThrow(/^The data in \/data was created by an earlier version/);
  const launcher = startWith(
    {
      DATABASE_URL: database.url,
      REDIS_URL: process.env['TEST_REDIS_URL'],
      TEMPORAL_ADDRESS: process.env['TEST_TEMPORAL_ADDRESS'],
    },
    '--once',
  );
  expect(await launcher.ended).toBe(1);
  expect(launcher.output()).toMatch(/earlier version with a different schema: to start over, [^\n.]*\.\n/);
  await database.drop();
});

test('an unknown option is one line, with exit code 1', async () => {
  const launcher = start('--twice');
  expect(await launcher.ended).toBe(1);
  expect(launcher.output()).toMatch(/^error: unknown option '--twice'\n$/);
});

test.each([
  ['0', /^error: option '--port <number>' argument '0' is invalid. It must be a number from 1 to 65535.\n$/],
  ['3000', /Port 3000 is in use.*Choose another one with --port/],
])('IN13: --port %s, which cannot be used, is an error before anything is started', async (port, expected) => {
  const launcher = start('--port', port);
  expect(await launcher.ended).toBe(1);
  expect(launcher.output()).toMatch(expected);
  expect(stepsOf(launcher)).toEqual([]);
});
