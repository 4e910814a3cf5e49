import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { FOLDER } from './project.ts';

interface Report {
  summary: { violations: { rule: { name: string }; from: string }[] };
}

const RULES: { name: string; comment: string }[] = createRequire(import.meta.url)('../../.dependency-cruiser.cjs').forbidden;

const ORDER = 'domain-order-';
const DOMAINS = RULES.filter(({ name }) => name.startsWith(ORDER)).map(({ name }) => name.slice(ORDER.length));

/** Files that each violate the rule they are listed under. */
const VIOLATIONS: Record<string, Record<string, string>> = {
  'contracts-import-nothing': { 'src/contracts/words.ts': "export { z } from 'zod';" },
  'texts-import-contracts-only': { 'src/texts/dates.ts': "export { now } from '../platform/now.ts';" },
  'texts-are-for-people': { 'src/domains/payouts/decide.ts': "export { label } from '../../texts/label.ts';" },
  'platform-imports-no-domain': {
    'src/platform/clock.ts':
      "import type { createPayout } from '../domains/payouts/index.ts';\nexport type X = typeof createPayout;",
  },
  'domains-have-one-public-interface': { 'src/domains/payouts/use-cases/pay.ts': "export { book } from '../../ledger/book.ts';" },
  'foreign-entities-are-types-only': {
    'src/domains/payouts/payouts.queries.ts': "export { Program } from '../programs/program.entity.ts';",
  },
  'listeners-import-no-domain': { 'src/domains/webhooks/index.ts': "export { createPayout } from '../payouts/index.ts';" },
  'listeners-import-no-listener': { 'src/domains/notifications/index.ts': "export { announce } from '../webhooks/announce.ts';" },
  'domains-import-no-listener': {
    'src/domains/billing/billing.queries.ts': "export { announce } from '../webhooks/announce.ts';",
  },
  'every-domain-is-ordered': { 'src/domains/billing2/index.ts': "export { now } from '../../platform/now.ts';" },
  'domains-import-contracts-and-platform-only': {
    'src/domains/flags/flags.queries.ts': "import type { Config } from '../../config.ts';\nexport type X = Config;",
  },
  'domains-import-no-temporal': {
    'src/domains/coupons/index.ts': "import type { Client } from '@temporalio/client';\nexport type X = Client;",
  },
  'api-loads-no-temporal': { 'src/api/server.ts': "export { helper } from '../platform/helper.ts';" },
  'api-imports-routes-and-public-interfaces': { 'src/api/routes.ts': "export { book } from '../domains/ledger/book.ts';" },
  'api-imports-no-page': { 'src/api/documents.ts': "export { page } from '../console/page.ts';" },
  'console-calls-operations-only': {
    'src/console/pages/books.ts':
      "import type { Program } from '../../domains/programs/program.entity.ts';\nexport type X = Program;",
  },
  'console-loads-no-server-of-its-own': { 'src/console/pages/queues.ts': "export { Redis } from 'ioredis';" },
  'one-template-library': { 'src/console/layout.ts': "export { raw } from 'hono/html';" },
  'entity-list-imports-entities-only': { 'src/domains/entities.ts': "export { book } from './ledger/book.ts';" },
  'routes-import-no-entity': {
    'src/domains/programs/programs.routes.ts': "import type { Program } from './program.entity.ts';\nexport type X = Program;",
  },
  'use-cases-import-no-http': {
    'src/domains/links/use-cases/link.ts': "import type { FastifyRequest } from 'fastify';\nexport type X = FastifyRequest;",
  },
  'rules-are-pure': {
    'src/domains/coupons/discount.rules.ts': "export { readFileSync } from 'node:fs';",
  },
  'rules-know-no-context': {
    'src/domains/links/share.rules.ts': "import type { Context } from '../../platform/context.ts';\nexport type X = Context;",
  },
  'steps-make-no-calls': { 'src/domains/billing/order.steps.ts': "export { fetch } from 'undici';" },
  'workflows-import-contracts-only': {
    'workflows/payout-lifecycle.ts':
      "import type { Program } from '../src/domains/programs/program.entity.ts';\nexport type X = Program;",
  },
  'activities-import-public-interfaces': { 'activities/payouts.ts': "export { book } from '../src/domains/ledger/book.ts';" },
  'activities-import-no-process': { 'activities/reviews.ts': "export { payout } from '../workflows/payout.ts';" },
  'activities-import-temporal-activity-only': { 'activities/webhooks.ts': "export { Client } from '@temporalio/client';" },
  'temporal-imports-no-domain': {
    'src/temporal/health.ts': "import type { Config } from '../config.ts';\nexport type X = Config;",
  },
  'one-temporal-client': { 'activities/client.ts': "export { Client } from '@temporalio/client';" },
  'opentelemetry-goes-through-platform': {
    'src/api/pipeline/trace-requests.ts': "export { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';",
  },
  'one-temporal-tracing': {
    'src/temporal/tracing.ts': "export { OpenTelemetryPlugin } from '@temporalio/interceptors-opentelemetry';",
  },
  'tracing-is-loaded-when-on': {
    'src/platform/tracing/start-tracing.ts': "export { open } from './tracer-provider.ts';",
  },
  'demo-imports-public-interfaces': {
    'src/local/demo/launch.ts': "export { book as launch } from '../../domains/ledger/book.ts';",
  },
  'demo-is-imported-by-bin-only': { 'src/cli/operator.ts': "export { launch } from '../local/demo/launch.ts';" },
  'cli-imports-public-interfaces': { 'src/cli/keys.ts': "export { book } from '../domains/ledger/book.ts';" },
  'installation-imports-no-domain': {
    'src/local/installation/stack-file.ts': "export { book } from '../../domains/ledger/book.ts';",
  },
  'sandbox-provider-imports-no-domain': {
    'src/local/sandbox-provider/server.ts': "export { book } from '../../domains/ledger/book.ts';",
  },
  'paypal-double-imports-no-domain': {
    'src/local/paypal-double/server.ts': "export { book } from '../../domains/ledger/book.ts';",
  },
  'worker-imports-no-domain-internals': { 'src/worker/build-worker.ts': "export { book } from '../domains/ledger/book.ts';" },
  'audit-imports-public-interfaces': { 'src/audit/audit.ts': "export { book } from '../domains/ledger/book.ts';" },
  'audit-is-imported-by-the-cli-only': { 'src/temporal/relay/relay.ts': "export { book } from '../../audit/audit.ts';" },
  'local-stack-imports-no-domain': {
    'src/local/stack/index.ts': "export { createPayout } from '../../domains/payouts/index.ts';",
  },
  'local-stack-is-for-launchers': { 'src/runtime.ts': "export { ports } from './local/stack/ports.ts';" },
  'sql-goes-through-platform': { 'src/domains/merchants/merchants.queries.ts': "export { sql } from 'kysely';" },
  'browser-script-imports-itself-only': {
    'src/domains/tracking/browser-script/main.ts': "export { now } from '../../../platform/now.ts';",
  },
  'migrations-import-nothing': { 'migrations/20260101000000_first.ts': "export { now } from '../src/platform/now.ts';" },
  'bin-is-not-imported': { 'src/platform/helper.ts': "export { run } from '../../bin/worker.ts';" },
  'no-test-in-product': { 'src/platform/now.ts': "export { now } from '../../test/now.ts';" },
  'no-dev-dependency-in-product': { 'src/platform/check.ts': "export { default as fc } from 'fast-check';" },
  'no-undeclared-dependency': { 'src/platform/ms.ts': "export { default as ms } from 'ms';" },
  'no-unresolvable': { 'src/platform/gone.ts': "export { gone } from './nowhere.ts';" },
  'no-cycles': {
    'src/platform/hen.ts': "import type { Egg } from './egg.ts';\nexport type Hen = Egg;",
    'src/platform/egg.ts': "import type { Hen } from './hen.ts';\nexport type Egg = Hen;",
  },
  'no-orphans': { 'src/platform/alone.ts': 'export const alone = true;' },
  'no-unreachable-file': { 'activities/forgotten.ts': "export { now } from '../src/platform/now.ts';" },
};

/** Files that the violations import. */
const NEIGHBOURS: Record<string, string> = {
  'bin/worker.ts': "import { Client } from '@temporalio/client';\nexport const run = Client;",
  'src/config.ts': 'export interface Config { a: string }',
  'src/console/page.ts': 'export const page = 1;',
  'src/domains/ledger/book.ts': 'export const book = 1;',
  'src/domains/payouts/index.ts': "export const createPayout = 1;\nexport { pay } from './use-cases/pay.ts';",
  'src/domains/programs/program.entity.ts': 'export class Program {}',
  'src/domains/webhooks/announce.ts': 'export const announce = 1;',
  'src/local/stack/ports.ts': 'export const ports = 1;',
  'src/platform/context.ts': 'export interface Context { a: string }',
  'src/platform/tracing/tracer-provider.ts': 'export const open = 1;',
  'src/texts/label.ts': 'export const label = 1;',
  'test/now.ts': 'export const now = 1;',
  'workflows/payout.ts': 'export const payout = 1;',
};

/** Every domain has a public interface, and imports the one that is listed after it. */
const PUBLIC_INTERFACES = Object.fromEntries(
  [...DOMAINS, 'me'].map((domain) => [`src/domains/${domain}/index.ts`, 'export const entry = 1;']),
);
const WRONG_ORDER = Object.fromEntries(
  DOMAINS.map((domain, at) => [
    `src/domains/${domain}/import.ts`,
    `export { entry } from '../${DOMAINS[at + 1] ?? 'me'}/index.ts';`,
  ]),
);

let folder: string;

const writeFiles = async (files: Record<string, string>): Promise<void> => {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), `${text}\n`);
  }
};

const cruise = (): Promise<Report> =>
  new Promise((resolve, reject) => {
    const cruiser = join(FOLDER, 'node_modules/.bin/depcruise');
    const given = [
      '--config',
      '.dependency-cruiser.cjs',
      '--output-type',
      'json',
      'bin',
      'src',
      'workflows',
      'activities',
      'migrations',
    ];
    execFile(process.execPath, [cruiser, ...given], { cwd: folder, maxBuffer: 64 << 20 }, (error, stdout, stderr) => {
      // The exit code is the number of violations; only a run without a report is an error.
      if (stdout.startsWith('{')) resolve(JSON.parse(stdout) as Report);
      else reject(new Error(stderr, { cause: error }));
    });
  });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-boundaries-'));
  await copyFile(join(FOLDER, '.dependency-cruiser.cjs'), join(folder, '.dependency-cruiser.cjs'));
  await copyFile(join(FOLDER, 'package.json'), join(folder, 'package.json'));
  await symlink(join(FOLDER, 'node_modules'), join(folder, 'node_modules'));
  for (const files of [PUBLIC_INTERFACES, NEIGHBOURS, ...Object.values(VIOLATIONS), WRONG_ORDER]) await writeFiles(files);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test('every rule reports its example violation, type-only imports included', async () => {
  const { violations } = (await cruise()).summary;
  const reported = new Set(violations.map(({ rule, from }) => `${rule.name} ${from}`));
  const silent = Object.entries(VIOLATIONS).filter(
    ([rule, files]) => !Object.keys(files).some((file) => reported.has(`${rule} ${file}`)),
  );
  expect(silent).toEqual([]);
  expect(DOMAINS.filter((domain) => !reported.has(`domain-order-${domain} src/domains/${domain}/import.ts`))).toEqual([]);
});

test('every rule has an example violation and a reason', () => {
  const covered = new Set([...Object.keys(VIOLATIONS), ...DOMAINS.map((domain) => `domain-order-${domain}`)]);
  expect(RULES.filter(({ name }) => !covered.has(name)).map(({ name }) => name)).toEqual([]);
  expect(RULES.filter(({ comment }) => !comment?.endsWith('.')).map(({ name }) => name)).toEqual([]);
});
