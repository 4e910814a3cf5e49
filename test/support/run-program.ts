import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { SLOW_DATABASE, type TestEnvironment } from './api.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface ProgramRun {
  /** -1 when the program did not exit in time. */
  code: number;
  out: string;
  err: string;
}

/** What an operator's shell has in it for an installation with this database. */
export const operatorEnv = (databaseUrl: string, more: TestEnvironment = {}): TestEnvironment => ({
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
  ENVIRONMENT: 'development',
  DATABASE_URL: databaseUrl,
  REDIS_URL: process.env['TEST_REDIS_URL'],
  TEMPORAL_ADDRESS: process.env['TEST_TEMPORAL_ADDRESS'],
  ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
  ...SLOW_DATABASE,
  ...more,
});

/** Runs a program as an operator would, in the folder of the project, until it exits. */
export const runProgram = (
  args: readonly string[],
  env: TestEnvironment,
  { timeoutMs = 120_000, input }: { timeoutMs?: number; input?: string } = {},
): Promise<ProgramRun> =>
  new Promise((resolve) => {
    const child = execFile(process.execPath, args, { cwd: ROOT, env: { ...env }, timeout: timeoutMs }, (error, out, err) =>
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, out, err }),
    );
    if (input !== undefined) child.stdin?.end(input);
  });
