import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { LIMITS } from './limits.ts';

export type ConnectionLimits = Readonly<Record<keyof typeof LIMITS.connections, number>>;

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
export const limitConnections = (server: Server, limits: ConnectionLimits = LIMITS.connections): ConnectionDeadlines => {
  const exchanges = new Set<Exchange>();
  const byResponse = new WeakMap<ServerResponse, Exchange>();
  const responses = new Map<Socket, Set<ServerResponse>>();
  const idle = createIdleConnections(limits);
  server.maxConnections = limits.max;

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
    const exchange: Exchange = { socket, deadlineMs: performance.now() + limits.exchangeMs };
    exchanges.add(exchange);
    byResponse.set(response, exchange);
    response.once('close', () => {
      open?.delete(response);
      if (open?.size === 0 && !socket.destroyed) idle.add(socket);
      if (request.complete || socket.destroyed) exchanges.delete(exchange);
      else exchange.deadlineMs = performance.now() + limits.discardMs;
    });
    if (open && open.size > limits.pipelined) socket.destroy();
  });

  const timer = setInterval(() => {
    const now = performance.now();
    idle.destroyExpired(now);
    for (const exchange of exchanges) {
      if (exchange.deadlineMs > now) continue;
      exchanges.delete(exchange);
      exchange.socket.destroy();
    }
  }, limits.checkEveryMs);
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
const createIdleConnections = ({ idleMs }: ConnectionLimits) => {
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
        if (at + idleMs > now) return;
        since.delete(socket);
        socket.destroy();
      }
    },
  };
};
