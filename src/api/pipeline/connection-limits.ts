import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { SECOND_MS } from '../../platform/clock.ts';

/** Requests of one connection that wait for their response. HTTP clients pipeline few requests, most of them none. */
const MAX_PIPELINED = 16;
/** From the head of a request to the last byte of its response. Longer than any operation and the receipt of its body take. */
const EXCHANGE_TIMEOUT_MS = 22 * SECOND_MS;
/** How long the rest of a body is read and discarded after its request was answered. */
const DISCARD_TIMEOUT_MS = 2 * SECOND_MS;
const CHECK_INTERVAL_MS = SECOND_MS;

export interface ConnectionLimits {
  maxConnections: number;
  /** Above this number, each new connection closes the one that has waited longest for a request. */
  idleAbove: number;
  /** Empty lines between requests restart Node's own keep-alive timeout, so they could hold a connection for ever. */
  idleTimeoutMs: number;
}

const LIMITS: ConnectionLimits = { maxConnections: 8_192, idleAbove: 7_680, idleTimeoutMs: 70 * SECOND_MS };

interface Exchange {
  socket: Socket;
  deadlineMs: number;
}

export interface ConnectionDeadlines {
  /** Gives a request and its response this time from now on. */
  extend(response: ServerResponse, timeoutMs: number): void;
}

/**
 * Bounds what one connection can hold: pipelined requests, the time until a response has been read, and the time that an
 * answered request may go on sending its body. A connection over a limit is destroyed, because HTTP allows no further
 * response on it. Every response emits `close`, also one that was detached from its connection: whoever counts requests
 * relies on it.
 */
export const limitConnections = (server: Server, limits: ConnectionLimits = LIMITS): ConnectionDeadlines => {
  const exchanges = new Set<Exchange>();
  const byResponse = new WeakMap<ServerResponse, Exchange>();
  const responses = new Map<Socket, Set<ServerResponse>>();
  const idle = createIdleConnections(limits);
  server.maxConnections = limits.maxConnections;

  server.on('connection', (socket) => {
    const open = new Set<ServerResponse>();
    responses.set(socket, open);
    idle.add(socket);
    if (responses.size > limits.idleAbove) idle.destroyOldest();
    socket.once('close', () => {
      responses.delete(socket);
      idle.remove(socket);
      // Node closes those that are still attached.
      setImmediate(() => {
        for (const response of open) response.emit('close');
      });
    });
  });

  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const open = responses.get(socket)?.add(response);
    idle.remove(socket);
    const exchange: Exchange = { socket, deadlineMs: performance.now() + EXCHANGE_TIMEOUT_MS };
    exchanges.add(exchange);
    byResponse.set(response, exchange);
    response.once('close', () => {
      open?.delete(response);
      if (open?.size === 0 && !socket.destroyed) idle.add(socket);
      if (request.complete || socket.destroyed) exchanges.delete(exchange);
      else exchange.deadlineMs = performance.now() + DISCARD_TIMEOUT_MS;
    });
    if (open && open.size > MAX_PIPELINED) socket.destroy();
  });

  const timer = setInterval(() => {
    const now = performance.now();
    idle.destroyExpired(now);
    for (const exchange of exchanges) {
      if (exchange.deadlineMs > now) continue;
      exchanges.delete(exchange);
      exchange.socket.destroy();
    }
  }, CHECK_INTERVAL_MS);
  server.once('close', () => clearInterval(timer));
  timer.unref();
  return {
    extend(response, timeoutMs) {
      const exchange = byResponse.get(response);
      if (exchange) exchange.deadlineMs = performance.now() + timeoutMs;
    },
  };
};

/** Connections without a complete request head, longest idle first. */
const createIdleConnections = ({ idleTimeoutMs }: ConnectionLimits) => {
  const since = new Map<Socket, number>();
  return {
    add: (socket: Socket): void => void since.set(socket, performance.now()),
    remove: (socket: Socket): void => void since.delete(socket),
    destroyOldest(): void {
      const [oldest] = since.keys();
      if (!oldest) return;
      since.delete(oldest);
      oldest.destroy();
    },
    destroyExpired(now: number): void {
      for (const [socket, at] of since) {
        if (at + idleTimeoutMs > now) return;
        since.delete(socket);
        socket.destroy();
      }
    },
  };
};
