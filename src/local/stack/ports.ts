import { once } from 'node:events';
import { createServer } from 'node:net';
import getPort, { portNumbers } from 'get-port';
import { errorCode, LocalStackError } from './local-stack-error.ts';

const HOST = '127.0.0.1';
const TRIES = 20;
const STARTS = 5;

/**
 * The preferred port, or the next free one above it (at most 20 are tried); 0 returns any free port. It is not returned
 * again for 15 seconds, but another process may still take it, so callers start on it with `onFreePort` or `onChosenPorts`.
 */
export async function findFreePort(preferred: number, except: readonly number[] = []): Promise<number> {
  if (preferred === 0) return getPort({ host: HOST });
  const last = preferred + TRIES - 1;
  const port = await getPort({ port: portNumbers(preferred, last), host: HOST, exclude: except });
  if (port >= preferred && port <= last) return port;
  throw new LocalStackError(
    `Ports ${preferred} to ${last} on ${HOST} are all in use. Stop one of the programs that use them (list them with: ss -ltnp) and start again.`,
  );
}

/**
 * Starts something on a free port; when another process takes the port first, tries again on the next one. `exact`: only on
 * that port, for what others know by its address.
 */
export async function onFreePort<T>(preferred: number, start: (port: number) => Promise<T>, exact = false): Promise<T> {
  if (exact) return start(preferred);
  return onChosenPorts(() => findFreePort(preferred), start);
}

/** Starts something on the chosen ports; when another process takes one of them first, chooses again. */
export async function onChosenPorts<P, T>(choose: () => Promise<P>, start: (chosen: P) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const chosen = await choose();
    try {
      return await start(chosen);
    } catch (error) {
      if (!/address already in use|EADDRINUSE/i.test(String(error))) throw error;
      if (attempt < STARTS) continue;
      throw new LocalStackError(
        `Other programs took free ports on ${HOST} before Tributary could listen on them, ${STARTS} times in a row. Stop what opens ports there (list it with: ss -ltnp) and start again.`,
        { cause: error },
      );
    }
  }
}

/** Why this user cannot listen on the port, as the code of the operating system; null when it is free. */
export async function findPortProblem(port: number): Promise<string | null> {
  const server = createServer();
  try {
    server.listen(port, HOST);
    await once(server, 'listening');
    return null;
  } catch (error) {
    return errorCode(error) ?? String(error);
  } finally {
    server.close();
  }
}

/** Says that a service took another port than its usual one; empty when it did not. */
export const portNote = (port: number, usual: number): string => (port === usual ? '' : ` (port ${usual} is in use)`);
