import type { FastifyReply, FastifyRequest } from 'fastify';
import { SECOND_MS } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import { LIMITS } from './limits.ts';
import { isDropped, overloaded } from './load-shedding.ts';

const { bodies } = LIMITS;

/** The limit of its route, which may take larger files than others. */
const limitOf = ({ routeOptions }: FastifyRequest): number => routeOptions.bodyLimit ?? bodies.bytes;

const announcedBytes = (request: FastifyRequest): number => {
  if (request.headers['transfer-encoding'] !== undefined) return limitOf(request);
  const length = Number(request.headers['content-length'] ?? 0);
  // A longer one is rejected unread.
  return length === 0 || length > limitOf(request) ? 0 : Math.max(bodies.countedBytes, length);
};

const timedOut = (): AppError =>
  new AppError('BAD_REQUEST', 'The request body was not received in time', {
    issues: [{ path: 'body', code: 'timeout', message: `was not received within ${bodies.receiveMs / SECOND_MS} seconds` }],
  });

const tooMany = (reply: FastifyReply): AppError => overloaded(reply, 'Too many request bodies are being received');

interface Body {
  bytes: number;
  /** Ends the receipt, with an error response where the body is being read. */
  abort(toError: () => AppError): void;
  reply: FastifyReply;
}

interface Sender {
  bytes: number;
  bodies: Set<Body>;
}

export interface BodyLimits {
  /** Registers the body that follows; throws 429 `OVERLOADED` over a limit. `caller` is who sends it: an owner or an address. */
  receive(request: FastifyRequest, reply: FastifyReply, caller: string): void;
}

/**
 * Bounds the memory and the time that bodies take while they are being received. When the process is at its limit, whoever
 * holds most gives way: a few senders of slow bodies shut nobody else out.
 */
export const createBodyLimits = (): BodyLimits => {
  const senders = new Map<string, Sender>();
  let total = 0;

  const largestSender = (): Sender | undefined => {
    let largest: Sender | undefined;
    for (const sender of senders.values()) if (sender.bytes > (largest?.bytes ?? 0)) largest = sender;
    return largest;
  };

  /** False when nobody holds more than the new body's sender would. */
  const makeSpace = (bytes: number, held: number): boolean => {
    while (total + bytes > bodies.ofProcessBytes) {
      const largest = largestSender();
      const [oldest] = largest?.bodies ?? [];
      if (!largest || !oldest || largest.bytes <= held + bytes) return false;
      oldest.abort(() => tooMany(oldest.reply));
    }
    return true;
  };

  return {
    receive(request, reply, caller) {
      const bytes = announcedBytes(request);
      if (bytes === 0 || isDropped(reply)) return;
      const held = senders.get(caller)?.bytes ?? 0;
      // One body of a route with large files is always among what a caller may hold.
      const allowed = Math.max(bodies.ofCallerBytes, limitOf(request));
      if (held + bytes > allowed || !makeSpace(bytes, held)) throw tooMany(reply);
      const sender = senders.get(caller) ?? { bytes: 0, bodies: new Set() };
      const { raw } = request;
      const done = (): void => {
        if (!sender.bodies.delete(body)) return;
        raw.off('end', done);
        reply.raw.off('close', done);
        clearTimeout(timer);
        total -= bytes;
        sender.bytes -= bytes;
        if (sender.bytes === 0) senders.delete(caller);
      };
      const body: Body = {
        bytes,
        reply,
        abort(toError) {
          done();
          // The content type parser listens for errors of the body and turns them into a response.
          if (raw.listenerCount('error') > 0) raw.emit('error', toError());
          else raw.socket.destroy();
        },
      };
      const timer = setTimeout(() => body.abort(timedOut), bodies.receiveMs);
      senders.set(caller, sender);
      sender.bodies.add(body);
      sender.bytes += bytes;
      total += bytes;
      raw.once('end', done);
      reply.raw.once('close', done);
    },
  };
};
