import type { FastifyReply, FastifyRequest } from 'fastify';
import pLimit, { type LimitFunction } from 'p-limit';
import { AppError } from '../../platform/errors.ts';

/** Requests in flight in this process beyond which it sheds load: reads first, writes last. */
const MAX_READS = 256;
const MAX_WRITES = 512;
/** Of one owner: a merchant who sends more than this at once sheds its own requests only. */
const MAX_PER_OWNER = 96;
/**
 * Of one owner, processed at the same time; the others wait for their turn. So the requests of other owners find free
 * connections to the database and a short event queue.
 */
const MAX_AT_ONCE = 8;
const MAX_WAIT_MS = 5_000;
const RETRY_AFTER_SECONDS = 1;

/** 429 with `Retry-After`. */
export const overloaded = (reply: FastifyReply, message: string): AppError => {
  reply.header('retry-after', RETRY_AFTER_SECONDS);
  return new AppError('RATE_LIMITED', message, { reason: 'OVERLOADED' });
};

export interface LoadShedder {
  /**
   * Counts a request whose body has been received, until its connection is done with it, and resolves when it is its turn. Throws
   * 429 over a limit, and after five seconds without a turn.
   */
  enter(request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

/** Bounds the requests in flight, so that an overloaded process completes what it accepts and rejects the rest with 429. */
export const createLoadShedder = (): LoadShedder => {
  const owners = new Map<string, { inFlight: number; limit: LimitFunction }>();
  let inFlight = 0;

  return {
    async enter(request, reply) {
      const id = request.caller?.ownerId;
      const limit = request.method === 'GET' ? MAX_READS : MAX_WRITES;
      if (inFlight >= limit) throw overloaded(reply, 'The server is overloaded');
      const owner = id === undefined ? null : (owners.get(id) ?? { inFlight: 0, limit: pLimit(MAX_AT_ONCE) });
      if (owner && owner.inFlight >= MAX_PER_OWNER) throw overloaded(reply, 'Too many of your requests are in flight');
      inFlight++;
      if (id !== undefined && owner) {
        owner.inFlight++;
        owners.set(id, owner);
      }
      // Emitted once, after the response or when the client disconnects.
      reply.raw.once('close', () => {
        inFlight--;
        if (id !== undefined && owner && --owner.inFlight === 0) owners.delete(id);
      });
      if (owner && !(await getTurn(owner.limit, reply))) throw overloaded(reply, 'Too many of your requests are in flight');
    },
  };
};

/** Resolves to true when it is the turn of a request, which lasts until its response is sent; false after a wait too long. */
const getTurn = (limit: LimitFunction, reply: FastifyReply): Promise<boolean> =>
  new Promise((resolve) => {
    const timeout = setTimeout(() => resolve(false), MAX_WAIT_MS);
    void limit(async () => {
      clearTimeout(timeout);
      if (reply.raw.destroyed) return;
      resolve(true);
      await new Promise((done) => reply.raw.once('close', done));
    });
  });
