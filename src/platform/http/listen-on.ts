import type { FastifyInstance } from 'fastify';
import { StartupError } from '../startup-error.ts';

interface Address {
  host: string;
  port: number;
}

const PROBLEMS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use: stop the program that listens there (ss -ltnp lists it), or set another port',
  EACCES: 'is closed to this user: set a port of 1024 or above',
  EADDRNOTAVAIL: 'is not on this machine: correct the host',
};

/** Listens and returns the URL. `setting` is what operators change when it fails: a StartupError says so in one sentence. */
export const listenOn = async (
  server: Pick<FastifyInstance, 'listen'>,
  { host, port }: Address,
  setting: string,
): Promise<string> => {
  try {
    return await server.listen({ host, port });
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    const problem = PROBLEMS[code] ?? 'cannot be listened on: correct host and port';
    throw new StartupError(`${setting}: port ${port} of ${host} ${problem} (${code}).`, { cause: error });
  }
};

const codeOf = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
