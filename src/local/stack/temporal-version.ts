import { type Environment, runProgram } from './programs.ts';

/** Whether the program at this path is a complete Temporal CLI that runs on this machine. */
export async function isWorkingTemporal(path: string, env: Environment): Promise<boolean> {
  const { ok, output } = await runProgram(path, ['--version'], { env, timeoutMs: 20_000 });
  return ok && /^temporal version .*Server \d/m.test(output);
}
