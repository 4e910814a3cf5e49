import type { Socket } from 'node:net';
import { setImmediate as afterPolling, setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** For how long a process that was told to stop still takes requests: until balancers and callers have heard of it. */
const DRAIN_MS = 500;

/**
 * A stop that fails no request. From its first moment on each answer closes its connection (Fastify's own doing), so that
 * callers come elsewhere with their next one; a little later no idle connection is left on which one may be on its way. What
 * waits to be accepted when a listener closes is reset by the kernel, so it closes right after the loop has accepted all.
 * Who is connected and has not said a word all the while (browsers and balancers do that in advance) counts as busy to the server: it
 * would be waited for until its request is overdue.
 */
export const installGracefulShutdown = (app: FastifyInstance): { readonly begun: boolean } => {
  const farewell = { begun: false };
  const connected = new Set<Socket>();
  app.server.on('connection', (socket) => {
    connected.add(socket);
    socket.once('close', () => connected.delete(socket));
  });
  app.addHook('preClose', async () => {
    farewell.begun = true;
    if (!app.server.listening) return;
    const before = [...connected];
    await sleep(DRAIN_MS);
    await afterPolling();
    for (const socket of before) if (socket.bytesRead === 0) socket.destroy();
  });
  return farewell;
};
