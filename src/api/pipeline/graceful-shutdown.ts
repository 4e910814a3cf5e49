import { Server, type Socket } from 'node:net';
import { setImmediate as afterPolling, setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** How long a stopping process still accepts requests, so that load balancers and callers can react. */
const DRAIN_MS = 500;
/** A bound on how many waiting connections are accepted before the listener closes: more than its backlog holds. */
const MAX_WAITING = 1_000;

/**
 * Shuts down without failing a request. From the start of the shutdown, Fastify closes each connection with its next
 * response, so callers reconnect elsewhere and no idle connection is left that a request may be arriving on. The kernel
 * resets connections that wait to be accepted when the listener closes, so it closes right after a turn of the event loop, which
 * accepts one connection, found none. Connections that never sent a byte (browsers and load balancers open some in advance) are destroyed:
 * the server counts them as busy and would wait for their request to time out.
 */
export const installGracefulShutdown = (app: FastifyInstance): { readonly begun: boolean } => {
  const shutdown = { begun: false };
  const connected = new Set<Socket>();
  let accepted = 0;
  app.server.on('connection', (socket) => {
    accepted++;
    connected.add(socket);
    socket.once('close', () => connected.delete(socket));
  });
  app.addHook('preClose', async () => {
    shutdown.begun = true;
    if (!app.server.listening) return;
    const before = [...connected];
    await sleep(DRAIN_MS);
    for (let seen = -1, turns = 0; seen < accepted && turns < MAX_WAITING; turns++) {
      seen = accepted;
      await afterPolling();
    }
    // At once: what else closing a server does takes a millisecond, in which others connect.
    Server.prototype.close.call(app.server);
    for (const socket of before) if (socket.bytesRead === 0) socket.destroy();
  });
  return shutdown;
};
