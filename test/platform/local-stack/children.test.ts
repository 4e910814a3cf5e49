import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChildOptions, startChild } from '../../../src/local/stack/children.ts';
import { findListeningPorts } from '../../../src/local/stack/listening.ts';
import { stopLeftovers, writePidRecord } from '../../../src/local/stack/pid-records.ts';
import { findFreePort, onFreePort } from '../../../src/local/stack/ports.ts';
import { findProcessIdentity } from '../../../src/local/stack/process-identity.ts';

const IDLE = 'console.log("ready"); setInterval(() => {}, 1000)';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-children-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function script(code: string, more: Partial<ChildOptions> = {}): ChildOptions {
  const folders = { logsDir: folder, pidsDir: folder, env: process.env };
  return { name: 'probe', command: process.execPath, args: ['-e', code], ...folders, ...more };
}

test('a crash is reported once, with the last lines of the log', async () => {
  const reports: string[] = [];
  const child = await startChild(
    script('console.log("the reason"); process.exit(3)', { onCrash: (report) => reports.push(report) }),
  );
  await child.exited;
  await child.stop();
  expect(reports).toHaveLength(1);
  expect(reports[0]).toMatch(/probe ended unexpectedly \(code 3\)[\s\S]*the reason/);
});

test('stopping a child is not a crash and leaves no pid record', async () => {
  const reports: string[] = [];
  const child = await startChild(script('setInterval(() => {}, 1000)', { onCrash: (report) => reports.push(report) }));
  expect(existsSync(join(folder, 'probe.json'))).toBe(true);
  await child.stop();
  expect(child.isRunning()).toBe(false);
  expect(reports).toEqual([]);
  expect(existsSync(join(folder, 'probe.json'))).toBe(false);
});

test('a child that ignores SIGTERM is killed in bounded time', async () => {
  const code = 'process.on("SIGTERM", () => {}); console.log("ready"); setInterval(() => {}, 1000)';
  const child = await startChild(script(code, { stopTimeoutMs: 200 }));
  await child.waitUntilReady(async () => expect(child.lastLines()).toContain('ready'), { timeoutMs: 10_000 });
  await child.stop();
  expect(child.isRunning()).toBe(false);
});

test('a child that exits before it is ready fails the start with its last log lines', async () => {
  const child = await startChild(script('console.error("no such table"); process.exit(1)'));
  const never = child.waitUntilReady(() => Promise.reject(new Error('not yet')), { timeoutMs: 10_000 });
  await expect(never).rejects.toThrow(/no such table/);
});

/** Ends as a Go program does: the cause, and behind it the stacks of many goroutines. */
const panicWith = (cause: string): string => `
  console.error("a line of the log");
  console.error(${JSON.stringify(cause)});
  for (let n = 1; n < 2000; n++) console.error("goroutine " + n + " [select]:\\nmain.serve()\\n\\t/src/main.go:" + n);
  process.exitCode = 2;`;

test.each([
  'panic: listen tcp 127.0.0.1:7233: bind: address already in use',
  'fatal error: all goroutines are asleep - deadlock!',
  'time=2026-11-22T10:00:00Z level=FATAL msg="no schema"',
])('the report of a crash names its cause, however much was written after it: %s', async (cause) => {
  const child = await startChild(script(panicWith(cause)));
  await child.exited;
  const start = child.waitUntilReady(() => Promise.reject(new Error('not yet')), { timeoutMs: 10_000 });
  await expect(start).rejects.toThrow(`probe ended unexpectedly (code 2): ${cause}`);
});

test('a program that panics because its port was taken is started again on another port', async () => {
  const tried: number[] = [];
  const child = await onFreePort(0, async (port) => {
    tried.push(port);
    const code = tried.length === 1 ? panicWith(`panic: listen tcp 127.0.0.1:${port}: bind: address already in use`) : IDLE;
    const started = await startChild(script(code));
    const probe = async () => expect(started.lastLines()).toBe('ready');
    await started.waitUntilReady(probe, { timeoutMs: 10_000 });
    return started;
  });
  expect(child.isRunning()).toBe(true);
  await child.stop();
  expect(new Set(tried).size).toBe(2);
});

test('a child is not ready while another program answers on its port in its place', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const answers = async (): Promise<unknown> => fetch(`http://127.0.0.1:${port}`, { signal: AbortSignal.timeout(2_000) });
  other.on('request', (_request, response) => response.end());
  await answers();
  const child = await startChild(script(IDLE));
  const ready = child.waitUntilReady(answers, { ports: [port], timeoutMs: 1_000 });
  await expect(ready).rejects.toThrow(`process ${child.pid} does not listen on port ${port} yet`);
  await child.stop();
  other.close();
});

test('a child is ready once it listens on all of its ports itself', async () => {
  const ports = [await findFreePort(0), await findFreePort(0)];
  const code = `for (const port of ${JSON.stringify(ports)}) require("node:net").createServer().listen(port, "127.0.0.1")`;
  const child = await startChild(script(code));
  await child.waitUntilReady(async () => {}, { ports, timeoutMs: 10_000 });
  expect(await findListeningPorts(child.pid)).toEqual(expect.arrayContaining(ports));
  await child.stop();
  expect(await findListeningPorts(child.pid)).toEqual([]);
});

test('a missing program is a clear error', async () => {
  await expect(startChild(script('', { command: '/no/such/program', env: { PATH: '' } }))).rejects.toThrow(
    /probe could not be started \(\/no\/such\/program\)/,
  );
});

test('a process left running is stopped by the next start, and logged', async () => {
  const left = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  await once(left, 'spawn');
  await writePidRecord(folder, 'redis', left.pid ?? 0, ['SIGTERM']);
  const logged: string[] = [];
  await stopLeftovers(folder, (line) => logged.push(line));
  expect(findProcessIdentity(left.pid ?? 0)).toBeNull();
  expect(logged.join()).toContain(`redis (process ${left.pid})`);
});

test('a pid that now belongs to another process is not touched', async () => {
  const unrelated = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  await once(unrelated, 'spawn');
  const record = { name: 'redis', pid: unrelated.pid, identity: 'another start time', stopSignals: ['SIGTERM'] };
  writeFileSync(join(folder, 'redis.json'), JSON.stringify(record));
  await stopLeftovers(folder, () => {});
  expect(findProcessIdentity(unrelated.pid ?? 0)).not.toBeNull();
  unrelated.kill('SIGKILL');
  await once(unrelated, 'exit');
});
