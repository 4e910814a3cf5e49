import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import getPort, { portNumbers } from 'get-port';
import { LocalStackError } from './local-stack-error.ts';

const HOST = '127.0.0.1';
const TRIES = 20;

/**
 * The preferred port, or the next free one above it (at most 20 are tried); 0 returns any free port. It is not returned
 * again for 15 seconds, but another process may still take it, so callers retry.
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
  for (let attempt = 1; ; attempt += 1) {
    const port = await findFreePort(preferred);
    try {
      return await start(port);
    } catch (error) {
      if (attempt === 3 || !/address already in use|EADDRINUSE/i.test(String(error))) throw error;
    }
  }
}

/** Whether this user can listen on the port. */
export async function isFreePort(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, HOST);
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}

/** Says that a service took another port than its usual one; empty when it did not. */
export const portNote = (port: number, usual: number): string => (port === usual ? '' : ` (port ${usual} is in use)`);

/** Throws at once when nothing listens on the port; the clients of the services would wait before they retry. */
export async function assertListening(port: number): Promise<void> {
  const socket = connect({ port, host: HOST, timeout: 2_000 });
  try {
    await once(socket, 'connect');
  } finally {
    socket.destroy();
  }
}
