import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../platform/errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Counted by the gate, and not yet gone. */
    inFlight: boolean;
  }
}

/** Requests at work in this process beyond which it refuses: reads first, writes last. */
const READS_UP_TO = 256;
const WRITES_UP_TO = 512;
const RETRY_AFTER_S = 1;

/** Keeps the queue bounded, so that an overloaded process answers what it takes and says no to the rest. */
export const createLoadShedder = () => {
  let inFlight = 0;
  return {
    enter(request: FastifyRequest, reply: FastifyReply): void {
      if (inFlight >= (request.method === 'GET' ? READS_UP_TO : WRITES_UP_TO)) {
        reply.header('retry-after', RETRY_AFTER_S);
        throw new AppError('RATE_LIMITED', 'The server is busy', { reason: 'OVERLOADED' });
      }
      request.inFlight = true;
      inFlight++;
      // Who hangs up gets no answer, so nothing is told after it: the connection's end counts as leaving too.
      reply.raw.once('close', () => this.leave(request));
    },
    leave(request: FastifyRequest): void {
      if (!request.inFlight) return;
      request.inFlight = false;
      inFlight--;
    },
  };
};
