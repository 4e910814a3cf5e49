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

const ROOMS = RULES.filter(({ name }) => name.startsWith('rooms-knock-leftwards-')).map(
  ({ name }) => name.split('-').at(-1) ?? '',
);

/** Each file breaks the rule that it is listed under, and is otherwise what such a file looks like. */
const PLANTED: Record<string, Record<string, string>> = {
  'contracts-are-a-leaf': { 'src/contracts/words.ts': "export { z } from 'zod';" },
  'platform-knows-no-domain': {
    'src/platform/clock.ts':
      "import type { createPayout } from '../domains/payouts/index.ts';\nexport type X = typeof createPayout;",
  },
  'rooms-have-one-door': { 'src/domains/payouts/use-cases/pay.ts': "export { book } from '../../ledger/book.ts';" },
  'entities-travel-as-types': {
    'src/domains/payouts/payouts.queries.ts': "export { Program } from '../programs/program.entity.ts';",
  },
  'listeners-know-no-room': { 'src/domains/webhooks/index.ts': "export { createPayout } from '../payouts/index.ts';" },
  'listeners-know-no-listener': { 'src/domains/notifications/index.ts': "export { announce } from '../webhooks/announce.ts';" },
  'rooms-know-no-listener': { 'src/domains/me/me.queries.ts': "export { announce } from '../webhooks/announce.ts';" },
  'every-room-has-its-place': { 'src/domains/garage/index.ts': "export { now } from '../../platform/now.ts';" },
  'domains-know-contracts-and-platform': {
    'src/domains/flags/flags.queries.ts': "import type { Config } from '../../config.ts';\nexport type X = Config;",
  },
  'domains-know-no-temporal': {
    'src/domains/coupons/index.ts': "import type { Client } from '@temporalio/client';\nexport type X = Client;",
  },
  'api-knows-no-temporal': { 'src/api/server.ts': "export { helper } from '../platform/helper.ts';" },
  'api-uses-doors-and-routes': { 'src/api/routes.ts': "export { book } from '../domains/ledger/book.ts';" },
  'entities-are-listed-once': { 'src/domains/entities.ts': "export { book } from './ledger/book.ts';" },
  'routes-hold-no-entity': {
    'src/domains/programs/programs.routes.ts': "import type { Program } from './program.entity.ts';\nexport type X = Program;",
  },
  'use-cases-know-no-http': {
    'src/domains/links/use-cases/create-link.ts':
      "import type { FastifyRequest } from 'fastify';\nexport type X = FastifyRequest;",
  },
  'workflows-see-only-contracts': {
    'workflows/payout-lifecycle.ts':
      "import type { Program } from '../src/domains/programs/program.entity.ts';\nexport type X = Program;",
  },
  'activities-use-doors': { 'activities/payouts.ts': "export { book } from '../src/domains/ledger/book.ts';" },
  'activities-know-no-process': { 'activities/reviews.ts': "export { story } from '../workflows/story.ts';" },
  'activities-touch-temporal-lightly': { 'activities/webhooks.ts': "export { Client } from '@temporalio/client';" },
  'relay-knows-no-domain': { 'src/relay/health.ts': "import type { Config } from '../config.ts';\nexport type X = Config;" },
  'one-temporal-client': { 'activities/client.ts': "export { Client } from '@temporalio/client';" },
  'local-servers-know-no-system': { 'src/local-stack/redis.ts': "export { launch } from './system/launch.ts';" },
  'local-system-uses-doors': {
    'src/local-stack/system/launch.ts': "export { book as launch } from '../../domains/ledger/book.ts';",
  },
  'audit-uses-doors': { 'src/audit/audit.ts': "export { book } from '../domains/ledger/book.ts';" },
  'nobody-imports-the-audit': { 'src/relay/relay.ts': "export { book } from '../audit/audit.ts';" },
  'local-servers-know-no-domain': { 'src/local-stack/index.ts': "export { createPayout } from '../domains/payouts/index.ts';" },
  'local-stack-is-for-launchers': { 'src/runtime.ts': "export { ports } from './local-stack/ports.ts';" },
  'sql-has-one-door': { 'src/domains/merchants/merchants.queries.ts': "export { sql } from 'kysely';" },
  'migrations-stand-alone': { 'migrations/20260101000000_first.ts': "export { now } from '../src/platform/now.ts';" },
  'nobody-imports-a-process': { 'src/platform/helper.ts': "export { run } from '../../bin/worker.ts';" },
  'no-test-in-product': { 'src/platform/now.ts': "export { now } from '../../test/now.ts';" },
  'no-dev-dependency-in-product': { 'src/platform/check.ts': "export { default as fc } from 'fast-check';" },
  'no-undeclared-dependency': { 'src/platform/ms.ts': "export { default as ms } from 'ms';" },
  'no-unresolvable': { 'src/platform/gone.ts': "export { gone } from './nowhere.ts';" },
  'no-cycles': {
    'src/platform/hen.ts': "import type { Egg } from './egg.ts';\nexport type Hen = Egg;",
    'src/platform/egg.ts': "import type { Hen } from './hen.ts';\nexport type Egg = Hen;",
  },
  'no-orphans': { 'src/platform/alone.ts': 'export const alone = true;' },
  'no-left-over': { 'activities/forgotten.ts': "export { now } from '../src/platform/now.ts';" },
};

/** What the planted files import. */
const NEIGHBOURS: Record<string, string> = {
  'bin/worker.ts': "import { Client } from '@temporalio/client';\nexport const run = Client;",
  'src/config.ts': 'export interface Config { a: string }',
  'src/domains/ledger/book.ts': 'export const book = 1;',
  'src/domains/payouts/index.ts': "export const createPayout = 1;\nexport { pay } from './use-cases/pay.ts';",
  'src/domains/programs/program.entity.ts': 'export class Program {}',
  'src/domains/webhooks/announce.ts': 'export const announce = 1;',
  'src/local-stack/ports.ts': 'export const ports = 1;',
  'test/now.ts': 'export const now = 1;',
  'workflows/story.ts': 'export const story = 1;',
};

/** Every room has a door, and knocks on the one to its right. */
const DOORS = Object.fromEntries([...ROOMS, 'me'].map((room) => [`src/domains/${room}/index.ts`, 'export const door = 1;']));
const RIGHTWARDS = Object.fromEntries(
  ROOMS.map((room, at) => [`src/domains/${room}/knock.ts`, `export { door } from '../${ROOMS[at + 1] ?? 'me'}/index.ts';`]),
);

let folder: string;

const plant = async (files: Record<string, string>): Promise<void> => {
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
      // It exits with the number of violations: only a run without a report is a fault.
      if (stdout.startsWith('{')) resolve(JSON.parse(stdout) as Report);
      else reject(new Error(stderr, { cause: error }));
    });
  });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-walls-'));
  await copyFile(join(FOLDER, '.dependency-cruiser.cjs'), join(folder, '.dependency-cruiser.cjs'));
  await copyFile(join(FOLDER, 'package.json'), join(folder, 'package.json'));
  await symlink(join(FOLDER, 'node_modules'), join(folder, 'node_modules'));
  for (const files of [DOORS, NEIGHBOURS, ...Object.values(PLANTED), RIGHTWARDS]) await plant(files);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test('every wall reports the violation planted in it, type-only ones too', async () => {
  const { violations } = (await cruise()).summary;
  const reported = new Set(violations.map(({ rule, from }) => `${rule.name} ${from}`));
  const silent = Object.entries(PLANTED).filter(
    ([rule, files]) => !Object.keys(files).some((file) => reported.has(`${rule} ${file}`)),
  );
  expect(silent).toEqual([]);
  expect(ROOMS.filter((room) => !reported.has(`rooms-knock-leftwards-${room} src/domains/${room}/knock.ts`))).toEqual([]);
});

test('every wall has a planted violation and a reason', () => {
  const planted = new Set([...Object.keys(PLANTED), ...ROOMS.map((room) => `rooms-knock-leftwards-${room}`)]);
  expect(RULES.filter(({ name }) => !planted.has(name)).map(({ name }) => name)).toEqual([]);
  expect(RULES.filter(({ comment }) => !comment?.endsWith('.')).map(({ name }) => name)).toEqual([]);
});
