import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { execa } from 'execa';

export interface FileResult {
  passed: number;
  /** Tests that failed by an assertion. */
  caughtBy: string[];
  /** Why the file failed otherwise: it could not be loaded, or something threw. */
  broke: string | null;
}

interface Report {
  testResults: {
    name: string;
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
  }[];
}

/** What `expect` and fast-check write. */
const isAssertion = (message: string): boolean =>
  /\bexpect\(|^(Error: )?Property failed/m.test(stripVTControlCharacters(message));

/** Runs test files as `npm test` does, in the given folder. */
export const runTests = async (
  folder: string,
  files: readonly string[],
  { env, signal }: { env: Readonly<Record<string, string | undefined>>; signal: AbortSignal },
): Promise<Map<string, FileResult>> => {
  const report = join(tmpdir(), `tributary-mutations-${process.pid}.json`);
  await rm(report, { force: true });
  const jest = [join(folder, 'node_modules/jest/bin/jest.js'), ...files, '--json', '--outputFile', report];
  const { all } = await execa(process.execPath, jest, {
    cwd: folder,
    env,
    extendEnv: false,
    reject: false,
    all: true,
    cancelSignal: signal,
  });
  signal.throwIfAborted();
  const text = await readFile(report, 'utf8').catch(() => {
    throw new Error(`The tests wrote no report:\n${all?.slice(-4_000)}`);
  });
  await rm(report, { force: true });
  const { testResults } = JSON.parse(text) as Report;
  return new Map(testResults.map((result) => [relative(folder, result.name), toFileResult(result)]));
};

const toFileResult = ({ message, assertionResults }: Report['testResults'][number]): FileResult => {
  const failed = assertionResults.filter(({ status }) => status === 'failed');
  const caught = failed.filter(({ failureMessages }) => failureMessages.some(isAssertion));
  const others = failed.flatMap(({ failureMessages }) => failureMessages)[0] ?? message;
  return {
    passed: assertionResults.filter(({ status }) => status === 'passed').length,
    caughtBy: caught.map(({ fullName }) => fullName),
    broke: caught.length === 0 && others !== '' ? stripVTControlCharacters(others).split('\n').slice(0, 3).join(' ') : null,
  };
};
