import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installHeadlessBrowser } from '../../../src/local/demo/find-browser.ts';
import { type LocalStack, openLocalStack } from '../../../src/local/stack/index.ts';
import { runSql } from '../../../src/local/stack/sql.ts';
import { migrate } from '../../../src/platform/database/migrate.ts';
import { describeMissing } from './describe-missing.ts';

const TEMPLATE = 'tributary_template';
const WORKFLOWS = fileURLToPath(new URL('../../../workflows/index.ts', import.meta.url));

let running: LocalStack | undefined;
/** What was added to services of somebody else, and is removed from them. */
const added: (() => Promise<void>)[] = [];

/**
 * One Postgres, Redis and Temporal for the whole run; test files get their addresses through the environment. What the environment
 * names already is used as it is.
 */
export async function openTestStack(): Promise<void> {
  if (running !== undefined) return;
  if (process.env['TEST_DATABASE_ADMIN_URL'] !== undefined) return completeGivenStack(process.env['TEST_DATABASE_ADMIN_URL']);
  const log = (line: string): void => void process.stderr.write(`[tests] ${line}\n`);
  for (const sentence of await describeMissing(process.env)) log(sentence);
  const bundling = bundleWorkflows();
  // Awaited below, when the stack can be closed; until then a failure must not end the process.
  bundling.catch(() => {});
  // Before the tests, whose limits are for what hangs.
  const browser = installHeadlessBrowser(process.env, log);
  const stack = await openLocalStack({ data: 'temporary', env: process.env, log, onCrash: log });
  running = stack;
  try {
    const bundle = await bundling;
    await browser;
    // Test workers and the programs that tests start load the same modules.
    process.env['NODE_COMPILE_CACHE'] ??= join(stack.directory.path, 'compile-cache');
    process.env['TEST_DATABASE_ADMIN_URL'] = stack.ownerDatabaseUrl;
    process.env['TEST_DATABASE_URL'] = stack.databaseUrl;
    process.env['TEST_TEMPLATE_DATABASE'] = await makeTemplate(stack.ownerDatabaseUrl, stack.databaseUrl);
    process.env['TEST_REDIS_URL'] = stack.redisUrl;
    process.env['TEST_TEMPORAL_ADDRESS'] = stack.temporalAddress;
    if (bundle !== null) {
      const bundlePath = join(stack.directory.path, 'workflow-bundle.js');
      await writeFile(bundlePath, bundle);
      process.env['TEST_WORKFLOW_BUNDLE'] = bundlePath;
    }
  } catch (error) {
    // Jest does not run the teardown after a setup that failed.
    await closeTestStack();
    throw error;
  }
}

export async function closeTestStack(): Promise<void> {
  await running?.close();
  running = undefined;
  for (const remove of added.splice(0)) await remove();
}

/** A template and a bundle of workflows of this version, where the environment names none. */
async function completeGivenStack(adminUrl: string): Promise<void> {
  if (process.env['TEST_TEMPLATE_DATABASE'] === undefined) {
    const name = `${TEMPLATE}_${randomBytes(6).toString('hex')}`;
    added.push(async () => void (await runSql(adminUrl, `drop database if exists ${name} with (force)`)));
    process.env['TEST_TEMPLATE_DATABASE'] = await makeTemplate(adminUrl, process.env['TEST_DATABASE_URL'] ?? '', name);
  }
  const bundle = process.env['TEST_WORKFLOW_BUNDLE'] === undefined ? await bundleWorkflows() : null;
  if (bundle === null) return;
  const folder = await mkdtemp(join(tmpdir(), 'tributary-bundle-'));
  added.push(() => rm(folder, { recursive: true }));
  process.env['TEST_WORKFLOW_BUNDLE'] = join(folder, 'workflow-bundle.js');
  await writeFile(process.env['TEST_WORKFLOW_BUNDLE'], bundle);
}

async function makeTemplate(adminUrl: string, applicationUrl: string, name = TEMPLATE): Promise<string> {
  await runSql(adminUrl, `create database ${name}`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  await migrate(url.href, { url: applicationUrl });
  return name;
}

async function bundleWorkflows(): Promise<string | null> {
  if (!existsSync(WORKFLOWS)) return null;
  const { bundleWorkflowCode, DefaultLogger } = await import('@temporalio/worker');
  const { code } = await bundleWorkflowCode({ workflowsPath: WORKFLOWS, logger: new DefaultLogger('WARN') });
  return code;
}
