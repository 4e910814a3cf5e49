import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Environment, readCpu } from './server.ts';

export interface Child {
  ask<Answer>(question: unknown): Promise<Answer>;
  cpuMicros(): Promise<number>;
  stop(): Promise<void>;
}

const CPU = fileURLToPath(new URL('cpu.ts', import.meta.url));

/** A bare program of this folder that is no server: it is asked, works, and answers. */
export const startChild = async (program: string, env: Environment): Promise<Child> => {
  const path = fileURLToPath(new URL(`../${program}`, import.meta.url));
  const child: ChildProcess = fork(path, { execArgv: ['--import', CPU], env: { ...env } });
  process.once('exit', () => child.kill('SIGKILL'));
  await once(child, 'message');
  return {
    async ask<Answer>(question: unknown) {
      const answered = once(child, 'message');
      child.send(question as object);
      const [answer] = await Promise.race([answered, once(child, 'exit').then(() => [{ error: 'it ended' }])]);
      if (answer.error !== undefined) throw new Error(`${program}: ${answer.error}`);
      return answer as Answer;
    },
    cpuMicros: () => readCpu(child),
    async stop() {
      const gone = once(child, 'exit');
      child.kill();
      await gone;
    },
  };
};
