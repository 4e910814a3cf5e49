import { type Environment, findProgram, runProgram } from './programs.ts';

/**
 * On Linux a child can ask the kernel for a signal when its parent dies, even by kill -9; `setpriv`
 * asks for it and then becomes the program, so the pid stays. Elsewhere the pid records are the net.
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
