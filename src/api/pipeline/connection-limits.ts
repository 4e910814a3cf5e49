import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { SECOND_MS } from '../../platform/clock.ts';

/** Requests of one connection that wait for their response. HTTP clients pipeline few requests, most of them none. */
const MAX_PIPELINED = 16;
/** From the head of a request to the last byte of its response. Longer than any operation and the receipt of its body take. */
const EXCHANGE_TIMEOUT_MS = 22 * SECOND_MS;
/** How long the rest of a body is read and discarded after its request was answered. */
const DISCARD_TIMEOUT_MS = 2 * SECOND_MS;
const MAX_CONNECTIONS = 8_192;
const CHECK_INTERVAL_MS = SECOND_MS;

interface Exchange {
  socket: Socket;
  deadlineMs: number;
}

/**
 * Bounds what one connection can hold: pipelined requests, the time until a response has been read, and the time that an
 * answered request may go on sending its body. A connection over a limit is destroyed, because HTTP allows no other
 * response on it.
 */
export const limitConnections = (server: Server): void => {
  const exchanges = new Set<Exchange>();
  const pipelined = new WeakMap<Socket, number>();
  server.maxConnections = MAX_CONNECTIONS;

  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const count = (pipelined.get(socket) ?? 0) + 1;
    pipelined.set(socket, count);
    const exchange: Exchange = { socket, deadlineMs: performance.now() + EXCHANGE_TIMEOUT_MS };
    exchanges.add(exchange);
    response.once('close', () => {
      pipelined.set(socket, (pipelined.get(socket) ?? 1) - 1);
      if (request.complete || socket.destroyed) exchanges.delete(exchange);
      else exchange.deadlineMs = performance.now() + DISCARD_TIMEOUT_MS;
    });
    if (count > MAX_PIPELINED) socket.destroy();
  });

  const timer = setInterval(() => {
    const now = performance.now();
    for (const exchange of exchanges) {
      if (exchange.deadlineMs > now) continue;
      exchanges.delete(exchange);
      exchange.socket.destroy();
    }
  }, CHECK_INTERVAL_MS);
  server.once('close', () => clearInterval(timer.unref()));
  timer.unref();
};
