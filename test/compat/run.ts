import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentRef } from 'agentref';
import type { CompatRecord } from '../support/published-client.ts';

/**
 * `npm run compat`: runs the tests of the published client, then prints which of its public methods succeeded and which operations
 * they called. Fails when a test fails or a method never succeeded.
 */
const TESTS = ['test/e2e/published-client', 'test/api/programs/connect-stripe'];

/** Not public: other methods call them. */
const HELPERS = ['applications.review', 'marketingResources.statusMutation'];

const publicMethods = (): string[] =>
  Object.entries(new AgentRef({ apiKey: 'ak_live_none' }))
    .flatMap(([resource, methods]) =>
      Object.getOwnPropertyNames(Object.getPrototypeOf(methods)).map((name) => `${resource}.${name}`),
    )
    .filter((method) => !method.endsWith('.constructor') && !HELPERS.includes(method));

const runTests = async (log: string): Promise<boolean> => {
  const child = spawn('npm', ['test', '--', ...TESTS], { env: { ...process.env, COMPAT_LOG: log }, stdio: 'inherit' });
  const [code] = (await once(child, 'close')) as [number | null];
  return code === 0;
};

const readOperations = async (log: string): Promise<Map<string, Set<string>>> => {
  const found = new Map<string, Set<string>>();
  for (const line of (await readFile(log, 'utf8')).split('\n').filter((text) => text !== '')) {
    const { method, operations } = JSON.parse(line) as CompatRecord;
    found.set(method, new Set([...(found.get(method) ?? []), ...operations]));
  }
  return found;
};

const folder = await mkdtemp(join(tmpdir(), 'tributary-compat-'));
const log = join(folder, 'calls.jsonl');
await writeFile(log, '');
try {
  const arePassed = await runTests(log);
  const called = await readOperations(log);
  const methods = publicMethods();
  const rows = methods.map((method) => ({
    method,
    operation: [...(called.get(method) ?? [])].join(', '),
    pass: called.has(method) ? 'yes' : 'NO',
  }));
  console.table(rows);
  const failed = rows.filter(({ pass }) => pass === 'NO');
  console.log(`${methods.length - failed.length} of ${methods.length} public methods of agentref pass`);
  process.exitCode = arePassed && failed.length === 0 ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
