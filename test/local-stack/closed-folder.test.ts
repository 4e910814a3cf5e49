import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findProcessIdentity } from '../../src/local/stack/process-identity.ts';
import { runSql } from '../../src/local/stack/sql.ts';
import { until } from '../support/until.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** For other users there is no such folder: PostgreSQL runs as the user itself. */
const isRoot = process.getuid?.() === 0;

let closed: string;
let dataFolder: string;
const locations = new Set<string>();
const launchers = new Set<ChildProcess>();

beforeAll(async () => {
  // mkdtemp makes it 0700: only root may enter.
  closed = mkdtempSync('/tmp/tributary-closed-');
  dataFolder = join(closed, 'app', '.data');
  const parts = ['bin', 'src', 'test', 'migrations', 'package.json', 'node_modules'].map((name) => join(ROOT, name));
  await promisify(execFile)('mkdir', [join(closed, 'app')]);
  // Hard links where the file system allows them.
  const copy = promisify(execFile);
  await copy('cp', ['-al', ...parts, join(closed, 'app')]).catch(() => copy('cp', ['-a', ...parts, join(closed, 'app')]));
});

afterAll(async () => {
  for (const launcher of launchers) {
    if (launcher.exitCode !== null || launcher.signalCode !== null) continue;
    launcher.kill('SIGTERM');
    await once(launcher, 'exit');
  }
  for (const folder of locations) rmSync(folder, { recursive: true, force: true });
  rmSync(closed, { recursive: true, force: true });
});

/** Runs the launcher of the clone until it prints the address of its server. */
const launch = async () => {
  const launcher = spawn(process.execPath, ['test/support/stack/postgres-launcher.ts', dataFolder], {
    cwd: join(closed, 'app'),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  launchers.add(launcher);
  const close = async (): Promise<void> => {
    launcher.kill('SIGTERM');
    await once(launcher, 'exit');
  };
  for await (const line of createInterface({ input: launcher.stdout })) {
    const { url, pid } = JSON.parse(line) as { url: string; pid: number };
    // The launcher does not wait for the server it stops.
    const closeBoth = async (): Promise<void> => {
      await close();
      await until('the server has ended', () => findProcessIdentity(pid) === null);
    };
    return { close: closeBoth, url, pid };
  }
  throw new Error('the launcher exited without output');
};

const locationOf = (): string => {
  const location = readFileSync(join(dataFolder, 'postgres-location'), 'utf8').trim();
  locations.add(location);
  return location;
};

test('N1: PostgreSQL starts for a clone below a folder that only root may enter, and finds its data again', async () => {
  if (!isRoot) return;
  const first = await launch();
  const location = locationOf();
  await runSql(first.url, 'create table kept (word text)', "insert into kept values ('still here')");
  expect(readFileSync(`/proc/${first.pid}/status`, 'utf8')).not.toMatch(/^Uid:\s0\s/m);
  await first.close();

  const second = await launch();
  expect(await runSql(second.url, 'select word from kept')).toEqual([{ word: 'still here' }]);
  await second.close();
  expect(locationOf()).toBe(location);

  expect(existsSync(join(dataFolder, 'postgres'))).toBe(false);
  expect(statSync(join(location, 'postgres')).mode & 0o777).toBe(0o700);
  // The closed folder stays closed.
  expect(statSync(closed).mode & 0o777).toBe(0o700);
  const cache = readdirSync('/var/cache/tributary');
  expect(cache.filter((name) => name.startsWith('postgres-'))).toEqual([expect.not.stringContaining('.new-')]);
});

test('N1: data that has gone from its own folder is an error and is not replaced', async () => {
  if (!isRoot) return;
  const location = locationOf();
  rmSync(location, { recursive: true });
  const { stderr } = await promisify(execFile)(process.execPath, ['test/support/stack/postgres-launcher.ts', dataFolder], {
    cwd: join(closed, 'app'),
  }).catch((error: { stderr: string }) => error);
  expect(stderr).toContain(`postgres-location names ${location}, which does not exist`);
});
