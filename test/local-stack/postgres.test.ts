import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { prepareDataDirectory } from '../../src/local/stack/data-directory.ts';
import { openPostgres } from '../../src/local/stack/postgres.ts';
import { findProcessIdentity } from '../../src/local/stack/process-identity.ts';
import { findProgram } from '../../src/local/stack/programs.ts';
import { runSql } from '../../src/local/stack/sql.ts';

const LAUNCHER = fileURLToPath(new URL('../support/stack/postgres-launcher.ts', import.meta.url));

let folder: string;
let logged: string[];
beforeEach(() => {
  folder = mkdtempSync('/tmp/tributary-postgres-');
  chmodSync(folder, 0o711);
  logged = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

async function open() {
  const directory = await prepareDataDirectory(join(folder, 'data'));
  const log = (line: string): void => void logged.push(line);
  return openPostgres({ directory, env: process.env, log, port: 0, database: 'tributary', unsafeFast: true });
}

/** A PATH without `setpriv`, as on a system where the kernel does not end children with their parent. */
async function pathWithoutDeathSignal(): Promise<string> {
  const bin = mkdtempSync(join(folder, 'bin-'));
  for (const name of ['id', 'sh']) symlinkSync((await findProgram([name], process.env)) ?? '', join(bin, name));
  return bin;
}

async function launch(path: string): Promise<{ launcher: ChildProcess; url: string; pid: number }> {
  const launcher = spawn(process.execPath, [LAUNCHER, join(folder, 'data')], {
    env: { ...process.env, PATH: path },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: launcher.stdout })) {
    return { launcher, ...(JSON.parse(line) as { url: string; pid: number }) };
  }
  throw new Error('the launcher exited without output');
}

async function kill9(launcher: ChildProcess): Promise<void> {
  launcher.kill('SIGKILL');
  await once(launcher, 'exit');
}

test('a PostgreSQL left running by a killed launcher is stopped, and its data is found again', async () => {
  const { launcher, url, pid } = await launch(await pathWithoutDeathSignal());
  await runSql(url, 'create table kept (word text)', "insert into kept values ('still here')");
  await kill9(launcher);
  expect(findProcessIdentity(pid)).not.toBeNull();
  const postgres = await open();
  expect(logged.join()).toContain(`PostgreSQL (process ${pid}) was left running`);
  expect(findProcessIdentity(pid)).toBeNull();
  expect(await runSql(postgres.ownerUrl, 'select word from kept')).toEqual([{ word: 'still here' }]);
  await postgres.close();
});

test('the data of a killed PostgreSQL is recovered', async () => {
  const first = await open();
  await runSql(first.ownerUrl, 'create table kept (word text)', "insert into kept values ('still here')");
  process.kill(first.pid ?? 0, 'SIGKILL');
  await first.close();
  const second = await open();
  expect(await runSql(second.ownerUrl, 'select word from kept')).toEqual([{ word: 'still here' }]);
  await second.close();
});

test('an interrupted first start is repeated', async () => {
  const directory = await prepareDataDirectory(join(folder, 'data'));
  await prepareDataDirectory(join(directory.path, 'postgres.new'));
  const postgres = await open();
  expect(await runSql(postgres.ownerUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
  await postgres.close();
  expect(readdirSync(directory.path)).not.toContain('postgres.new');
});

test('data whose password file was lost is opened with a new password', async () => {
  const first = await open();
  await runSql(first.ownerUrl, 'create table kept (word text)');
  await first.close();
  await rm(join(folder, 'data', 'postgres', 'tributary-password'));
  const second = await open();
  expect(await runSql(second.ownerUrl, 'select * from kept')).toEqual([]);
  await second.close();
});

test('an unrelated folder in place of the data is not changed, and is an error', async () => {
  await prepareDataDirectory(join(folder, 'data', 'postgres'));
  await expect(open()).rejects.toThrow(/contains no PostgreSQL data.*not changed/s);
  expect(readdirSync(join(folder, 'data', 'postgres'))).toContain('logs');
});
