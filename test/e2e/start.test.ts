import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

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
  'merchantKey',
  'affiliateKey',
  'onboardingKey',
  'programId',
  'pids',
];

let folder: string;

interface Launcher {
  child: ChildProcess;
  /** Everything said so far, on both outputs. */
  said(): string;
  until(text: string): Promise<void>;
  ended: Promise<number | null>;
}

const start = (...args: string[]): Launcher => {
  const { DATABASE_URL: _db, REDIS_URL: _redis, TEMPORAL_ADDRESS: _temporal, ...env } = process.env;
  const child = spawn(process.execPath, ['bin/start.ts', ...args], { cwd: ROOT, env: { ...env, TRIBUTARY_DATA: folder } });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => void child.once('exit', (code) => resolve(code)));
  return {
    child,
    said: () => text,
    ended,
    async until(expected) {
      for (const end = Date.now() + 60_000; !text.includes(expected); await new Promise((resolve) => setTimeout(resolve, 50))) {
        if (child.exitCode !== null || Date.now() > end) throw new Error(`"${expected}" was never said:\n${text}`);
      }
    },
  };
};

const readStack = async () => JSON.parse(await readFile(join(folder, 'stack.json'), 'utf8'));

/** Every process that was told of the data folder, by its words or its environment. */
const leftOver = async (): Promise<string[]> => {
  const { stdout } = await promisify(execFile)('ps', ['axeww', '-o', 'pid=,command='], { maxBuffer: 64 * 1024 * 1024 });
  return stdout.split('\n').filter((line) => line.includes(folder) && !line.includes(' ps axeww'));
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-start-'));
  // The user of PostgreSQL passes through when root runs the tests.
  await chmod(folder, 0o711);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test('npm start -- --once runs the main job with all its webhooks, ends with 0 and leaves no process behind', async () => {
  const launcher = start('--once');
  expect([await launcher.ended, launcher.said()]).toEqual([0, expect.stringContaining('completed')]);
  for (const type of ['conversion.created', 'payout.created', 'payout.processing', 'payout.completed']) {
    expect(launcher.said()).toMatch(new RegExp(`${type} +signature verified`));
  }
  expect(launcher.said()).toMatch(/\/namespaces\/default\/workflows\/payout%2F[0-9a-f-]{36}/);
  expect(await leftOver()).toEqual([]);
  const stack = await readStack();
  expect(Object.keys(stack).sort()).toEqual([...KEYS_OF_STACK].sort());
  for (const name of ['stack.json', 'keys.json', 'demo.json']) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
}, 90_000);

test('a second start finds the merchant and the keys again, survives the end of its API, and Ctrl-C stops it all', async () => {
  const before = await readStack();
  const launcher = start();
  await launcher.until('Ctrl-C stops everything');
  const { pids, ...stack } = await readStack();
  expect(stack).toMatchObject({
    merchantKey: before.merchantKey,
    affiliateKey: before.affiliateKey,
    programId: before.programId,
  });
  expect(Object.values(pids).every((pid) => typeof pid === 'number')).toBe(true);

  process.kill(pids.api, 'SIGKILL');
  await launcher.until('api ended unexpectedly (SIGKILL). The end of ');
  await launcher.until('api runs again');
  const me = await fetch(`${stack.apiUrl}/me`, { headers: { authorization: `Bearer ${stack.merchantKey}` } });
  expect(me.status).toBe(200);

  // The terminal and npm both send one.
  launcher.child.kill('SIGINT');
  launcher.child.kill('SIGINT');
  expect(await launcher.ended).toBe(0);
  expect(launcher.said()).toContain('Stopped.');
  expect(await leftOver()).toEqual([]);
}, 90_000);

test('an unknown option is one line and 1', async () => {
  const launcher = start('--twice');
  expect(await launcher.ended).toBe(1);
  expect(launcher.said()).toMatch(/^error: unknown option '--twice'\n$/);
});
