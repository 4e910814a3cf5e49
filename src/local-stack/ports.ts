import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { errorCode, LocalStackError } from './local-stack-error.ts';

const TRIES = 20;

/**
 * The preferred port, or the next free one above it (at most 20 are tried); 0 takes any free port.
 * Only a look: a program that is quicker may still take the port, so starters try again.
 */
export async function findFreePort(preferred: number): Promise<number> {
  for (let port = preferred; port < preferred + TRIES; port += 1) {
    const free = await tryPort(port);
    if (free !== null) return free;
  }
  throw new LocalStackError(
    `Ports ${preferred} to ${preferred + TRIES - 1} on 127.0.0.1 are all in use. Stop one of the programs that hold them (see them with: ss -ltnp) and start again.`,
  );
}

/** Starts something on a free port, and again on another one when the port was taken in between. */
export async function onFreePort<T>(preferred: number, start: (port: number) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await findFreePort(preferred);
    try {
      return await start(port);
    } catch (error) {
      if (attempt === 3 || !/address already in use|EADDRINUSE/i.test(String(error))) throw error;
    }
  }
}

/** Fails at once while nobody listens there; the clients of the services would wait before they try again. */
export async function assertListening(port: number): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', timeout: 2_000 });
  try {
    await once(socket, 'connect');
  } finally {
    socket.destroy();
  }
}

function tryPort(port: number): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => {
      if (errorCode(error) === 'EADDRINUSE') resolve(null);
      else reject(error);
    });
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? null) : null));
    });
  });
}
