import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../platform/errors.ts';

/** Requests in flight in this process beyond which it sheds load: reads first, writes last. */
const MAX_READS = 256;
const MAX_WRITES = 512;
/** Of one owner: a merchant who sends more than this at once sheds its own requests only. */
const MAX_PER_OWNER = 96;
const RETRY_AFTER_SECONDS = 1;

/** 429 with `Retry-After`. */
export const overloaded = (reply: FastifyReply, message: string): AppError => {
  reply.header('retry-after', RETRY_AFTER_SECONDS);
  return new AppError('RATE_LIMITED', message, { reason: 'OVERLOADED' });
};

export interface LoadShedder {
  /** Counts a request whose body has been received, until its connection is done with it. Throws 429 over a limit. */
  enter(request: FastifyRequest, reply: FastifyReply): void;
}

/** Bounds the requests in flight, so that an overloaded process completes what it accepts and rejects the rest with 429. */
export const createLoadShedder = (): LoadShedder => {
  const byOwner = new Map<string, number>();
  let inFlight = 0;

  return {
    enter(request, reply) {
      const owner = request.caller?.ownerId ?? '';
      const own = byOwner.get(owner) ?? 0;
      const limit = request.method === 'GET' ? MAX_READS : MAX_WRITES;
      if (inFlight >= limit) throw overloaded(reply, 'The server is overloaded');
      if (owner !== '' && own >= MAX_PER_OWNER) throw overloaded(reply, 'Too many of your requests are in flight');
      inFlight++;
      byOwner.set(owner, own + 1);
      // Emitted once, after the response or when the client disconnects.
      reply.raw.once('close', () => {
        inFlight--;
        const left = (byOwner.get(owner) ?? 1) - 1;
        if (left > 0) byOwner.set(owner, left);
        else byOwner.delete(owner);
      });
    },
  };
};
