import type { Socket } from 'node:net';
import { setImmediate as afterPolling, setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** How long a stopping process still accepts requests, so that load balancers and callers can react. */
const DRAIN_MS = 500;

/**
 * Shuts down without failing a request. From the start of the shutdown, Fastify closes each connection with its next
 * response, so callers reconnect elsewhere and no idle connection is left that a request may be arriving on. The kernel
 * resets connections that wait to be accepted when the listener closes, so it closes right after the event loop has
 * accepted them all. Connections that never sent a byte (browsers and load balancers open some in advance) are destroyed:
 * the server counts them as busy and would wait for their request to time out.
 */
export const installGracefulShutdown = (app: FastifyInstance): { readonly begun: boolean } => {
  const shutdown = { begun: false };
  const connected = new Set<Socket>();
  app.server.on('connection', (socket) => {
    connected.add(socket);
    socket.once('close', () => connected.delete(socket));
  });
  app.addHook('preClose', async () => {
    shutdown.begun = true;
    if (!app.server.listening) return;
    const before = [...connected];
    await sleep(DRAIN_MS);
    await afterPolling();
    for (const socket of before) if (socket.bytesRead === 0) socket.destroy();
  });
  return shutdown;
};
