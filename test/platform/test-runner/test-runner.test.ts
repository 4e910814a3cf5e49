import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const JEST = createRequire(import.meta.url).resolve('jest/bin/jest');

interface Report {
  success: boolean;
  numPassedTests: number;
  numFailedTests: number;
  numRuntimeErrorTestSuites: number;
  testResults: { name: string; message: string; assertionResults: { title: string; failureMessages: string[] }[] }[];
}

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'test-runner-'));
});
afterAll(() => rm(folder, { recursive: true }));

interface Options {
  env?: Record<string, string>;
  args?: readonly string[];
  workers?: number;
}

interface JestConfig {
  project(name: string, folders: readonly string[]): object;
}

/** Runs fixtures as Jest runs tests here, with a limit of half a second. */
const start = async (fixtures: readonly string[], { env = {}, args = [], workers = 2 }: Options = {}) => {
  const { project } = (await import(`${ROOT}jest.config.js`)) as JestConfig;
  const testMatch = fixtures.map((name) => `<rootDir>/test/platform/test-runner/fixtures/${name}.ts`);
  const config = JSON.stringify({ rootDir: ROOT, ...project('fixtures', []), testMatch, testTimeout: 500 });
  const report = join(folder, `${randomUUID()}.json`);
  const environment = { ...process.env, CI: 'true', TEST_REPEAT: '0', EXIT_FILE: join(folder, 'exit'), ...env };
  const command = [JEST, '--config', config, '--maxWorkers', String(workers), '--json', '--outputFile', report, ...args];
  return new Promise<{ code: number; printed: string; report: string }>((resolve) => {
    const child = execFile(process.execPath, command, { cwd: ROOT, env: environment }, (_error, _stdout, printed) =>
      resolve({ code: child.exitCode ?? 1, printed, report }),
    );
  });
};

const run = async (fixtures: readonly string[], options: Options = {}) => {
  const { printed, report } = await start(fixtures, options);
  return { printed, ...(JSON.parse(await readFile(report, 'utf8')) as Report) };
};

const counts = ({ numPassedTests, numFailedTests, numRuntimeErrorTestSuites }: Report) => ({
  passed: numPassedTests,
  failed: numFailedTests,
  broken: numRuntimeErrorTestSuites,
});

it('a test or hook that hangs fails, and the others run', async () => {
  const { testResults, ...report } = await run(['slow']);
  const failed = testResults[0]?.assertionResults.filter(({ failureMessages }) => failureMessages.length > 0) ?? [];
  expect(
    failed.map(({ title, failureMessages }) => [title, /Exceeded timeout of \d+ ms/.exec(failureMessages[0] ?? '')?.[0]]),
  ).toEqual(
    [
      'a test beyond its limit',
      'a test of a table beyond its limit: one',
      'a test of a table beyond its limit: two',
      'a test with beforeAll',
      'a test with beforeEach',
      'a test with afterEach',
    ].map((title) => [title, 'Exceeded timeout of 500 ms']),
  );
  // What hangs after the last test belongs to none.
  expect(testResults[0]?.message).toMatch(/Exceeded timeout of 500 ms for a hook/);
  expect(counts({ testResults, ...report })).toEqual({ passed: 2, failed: 6, broken: 1 });
});

it('a file that ends its process, does not load or leaves a rejection behind fails, and the others run', async () => {
  const report = await run(['crash', 'not-loaded', 'hangs-at-load', 'rejected', 'open-handles']);
  expect(counts(report)).toEqual({ passed: 2, failed: 0, broken: 4 });
  const messages = report.testResults.map(({ message }) => message).join('\n');
  for (const reason of ['(SIGKILL)', 'does not load', 'for loading the file', 'nobody awaits this'])
    expect(messages).toContain(reason);
});

it('a test that asserts nothing fails, whatever its hooks assert', async () => {
  const report = await run(['asserts-nothing', 'hook-asserts']);
  expect(counts(report)).toEqual({ passed: 0, failed: 2, broken: 0 });
  for (const { message } of report.testResults) expect(message).toContain('The test asserts nothing');
});

it('a process that fails after its last file fails the run, which names the file', async () => {
  const { code, printed } = await start(['fails-later', 'passes']);
  expect(code).not.toBe(0);
  expect(printed).toMatch(/too late.*A worker ended \(code 1\) after .*fails-later\.ts/s);
});

it('open handles keep no worker, and it runs the exit handlers that end the processes of its tests', async () => {
  expect(await run(['open-handles'])).toMatchObject({ success: true });
  expect(await readFile(join(folder, 'exit'), 'utf8')).toBe('ended');
});

it('the seed, which is printed, decides the order of the files', async () => {
  const fixtures = ['open-handles', 'second-run', 'passes', 'passes-too'];
  const orderOf = async (seed: number) => {
    const { printed, testResults } = await run(fixtures, { args: ['--seed', String(seed)], workers: 1 });
    expect(printed).toContain(`in the order of --seed=${seed}`);
    return testResults.map(({ name }) => basename(name, '.ts'));
  };
  const orders = [await orderOf(1), await orderOf(2), await orderOf(3)];
  expect(await orderOf(1)).toEqual(orders[0]);
  expect(new Set(orders.map(String)).size).toBeGreaterThan(1);
  expect([...(orders[2] ?? [])].sort()).toEqual([...fixtures].sort());
});

describe('in CI', () => {
  const secondRun = (): string => join(folder, randomUUID());

  it('a file that failed and passes alone is green, and named with the seed after both outputs', async () => {
    const env = { TEST_REPEAT: '1', SECOND_RUN_FILE: secondRun() };
    const report = await run(['second-run', 'open-handles'], { env, args: ['--seed', '7'] });
    expect(counts(report)).toEqual({ passed: 2, failed: 0, broken: 0 });
    expect(report.printed).toMatch(
      /First run:.*toBe\(expected\).*passed in its second run.*\nflaky: test\/platform\/test-runner\/fixtures\/second-run\.ts \(seed 7\): [^\n]*toBe\(expected\)[^\n]*\n/s,
    );
  });

  it('a file that fails twice is red, as is one whose process ended', async () => {
    const report = await run(['not-loaded', 'crash'], { env: { TEST_REPEAT: '1' } });
    expect(counts(report)).toEqual({ passed: 0, failed: 0, broken: 2 });
    expect(report.printed).toContain('failed again');
    expect(report.printed).not.toContain('flaky:');
  });

  it.each([
    ['what proves an invariant', ['second-run.invariant']],
    ['more than three files', ['second-run', 'crash', 'not-loaded', 'rejected']],
  ])('%s is not repeated', async (_name, fixtures) => {
    const report = await run(fixtures, { env: { TEST_REPEAT: '1', SECOND_RUN_FILE: secondRun() } });
    expect(report.success).toBe(false);
    expect(report.printed).not.toMatch(/once more|flaky:/);
  });

  it('nothing is repeated outside of it', async () => {
    const report = await run(['second-run'], { env: { SECOND_RUN_FILE: secondRun() } });
    expect(report.success).toBe(false);
    expect(basename(report.testResults[0]?.name ?? '')).toBe('second-run.ts');
  });
});
