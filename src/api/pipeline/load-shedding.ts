import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../platform/errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Counted by the load shedder and not finished. */
    inFlight: boolean;
  }
}

/** Requests in flight above which reads, and later writes, are rejected. */
const MAX_FOR_READS = 256;
const MAX_FOR_WRITES = 512;
const RETRY_AFTER_S = 1;

/** Bounds the queue, so that an overloaded process completes what it accepts and rejects the rest with 429. */
export const createLoadShedder = () => {
  let inFlight = 0;
  return {
    enter(request: FastifyRequest, reply: FastifyReply): void {
      if (inFlight >= (request.method === 'GET' ? MAX_FOR_READS : MAX_FOR_WRITES)) {
        reply.header('retry-after', RETRY_AFTER_S);
        throw new AppError('RATE_LIMITED', 'The server is overloaded', { reason: 'OVERLOADED' });
      }
      request.inFlight = true;
      inFlight++;
      // No response hook runs when the client disconnects, so the end of the connection counts too.
      reply.raw.once('close', () => this.leave(request));
    },
    leave(request: FastifyRequest): void {
      if (!request.inFlight) return;
      request.inFlight = false;
      inFlight--;
    },
  };
};
