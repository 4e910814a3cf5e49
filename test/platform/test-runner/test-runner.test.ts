import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const JEST = createRequire(import.meta.url).resolve('jest/bin/jest');

interface Report {
  success: boolean;
  numPassedTests: number;
  numRuntimeErrorTestSuites: number;
  testResults: { assertionResults: { title: string; status: string; failureMessages: string[] }[] }[];
}

interface Config {
  projects: [{ runner: string; transform: object; setupFilesAfterEnv: string[] }];
}

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'test-runner-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Runs fixtures as Jest runs tests here, with a default limit of 200 ms. */
const run = async (fixtures: readonly string[], more: Record<string, string> = {}): Promise<Report> => {
  const {
    default: {
      projects: [{ runner, transform, setupFilesAfterEnv }],
    },
  } = (await import(`${ROOT}jest.config.js`)) as { default: Config };
  const testMatch = fixtures.map((name) => `<rootDir>/test/platform/test-runner/fixtures/${name}.ts`);
  const config = JSON.stringify({ rootDir: ROOT, runner, transform, setupFilesAfterEnv, testMatch });
  const report = join(folder, `${fixtures.join('-')}.json`);
  const args = [JEST, '--config', config, '--maxWorkers', '2', '--json', '--outputFile', report];
  const env = { ...process.env, TEST_LIMIT_MS: '200', EXIT_FILE: join(folder, 'exit'), ...more };
  await new Promise((resolve) => execFile(process.execPath, args, { cwd: ROOT, env }, resolve));
  return JSON.parse(await readFile(report, 'utf8')) as Report;
};

it('a test or hook that takes longer than its limit fails, and the others run', async () => {
  const { testResults, numPassedTests } = await run(['slow']);
  const failed = testResults[0]?.assertionResults.filter(({ status }) => status === 'failed') ?? [];
  expect(
    failed.map(({ title, failureMessages }) => [title, /Exceeded the timeout of \d+ ms/.exec(failureMessages[0] ?? '')?.[0]]),
  ).toEqual([
    ['a test beyond its limit', 'Exceeded the timeout of 300 ms'],
    ['a test of a table beyond its limit: one', 'Exceeded the timeout of 300 ms'],
    ['a test of a table beyond its limit: two', 'Exceeded the timeout of 300 ms'],
    ['a test beyond the default', 'Exceeded the timeout of 200 ms'],
    ...['beforeAll', 'beforeEach', 'afterEach', 'afterAll'].map((hook) => [`(${hook})`, 'Exceeded the timeout of 300 ms']),
  ]);
  expect(numPassedTests).toBe(5);
});

it('a file that ends its process or does not load fails, and the others run', async () => {
  const { numRuntimeErrorTestSuites, numPassedTests } = await run(['crash', 'not-loaded', 'open-handles']);
  expect({ numRuntimeErrorTestSuites, numPassedTests }).toEqual({ numRuntimeErrorTestSuites: 2, numPassedTests: 1 });
});

it('open handles keep no worker, and it runs the exit handlers that end the processes of its tests', async () => {
  expect(await run(['open-handles'])).toMatchObject({ success: true });
  expect(await readFile(join(folder, 'exit'), 'utf8')).toBe('ended');
});

it('a worker that loads later than the other one runs its files too', async () => {
  const preloaded = `--import ${ROOT}test/platform/test-runner/fixtures/slow-worker.ts`;
  expect(await run(['open-handles', 'slow'], { NODE_OPTIONS: preloaded })).toMatchObject({ numPassedTests: 6 });
});
