import { type Environment, findProgram, runProgram } from './programs.ts';

/**
 * Wraps a command so that on Linux the kernel signals it when its parent dies, even by SIGKILL. `setpriv` sets this and then
 * executes the program, so the pid stays the same. Elsewhere, processes left behind are found by their pid records.
 */
export async function withDeathSignal(
  command: string,
  args: readonly string[],
  signal: NodeJS.Signals,
  env: Environment,
): Promise<[string, readonly string[]]> {
  if (process.platform !== 'linux') return [command, args];
  const setpriv = await findProgram(['setpriv'], env);
  if (setpriv === null) return [command, args];
  const help = await runProgram(setpriv, ['--help'], { env, timeoutMs: 5_000 });
  if (!help.output.includes('--pdeathsig')) return [command, args];
  return [setpriv, ['--pdeathsig', signal.replace('SIG', ''), '--', command, ...args]];
}
