import type { FastifyReply, FastifyRequest } from 'fastify';
import pLimit, { type LimitFunction } from 'p-limit';
import { AppError } from '../../platform/errors.ts';
import { LIMITS } from './limits.ts';

/** 429 with `Retry-After`. */
export const overloaded = (reply: FastifyReply, message: string): AppError => {
  reply.header('retry-after', LIMITS.requests.retryAfterSeconds);
  return new AppError('RATE_LIMITED', message, { reason: 'OVERLOADED' });
};

/**
 * Whether the client hung up: the response may have emitted `close` already, so the request would be counted for ever. A connection
 * that was reset before it was read has no address, and is not destroyed yet.
 */
export const isGone = ({ request }: FastifyReply): boolean =>
  request.raw.socket.destroyed || request.raw.socket.remoteAddress === undefined;

/** Drops a request whose client hung up before it was counted. */
export const isDropped = (reply: FastifyReply): boolean => {
  if (!isGone(reply)) return false;
  reply.hijack();
  reply.request.raw.socket.destroy();
  return true;
};

interface Counted {
  owner: string | undefined;
  max: number;
}

export interface LoadShedder {
  /**
   * Counts a request whose body has been received, until its connection is done with it, and resolves when it is its owner's turn;
   * at once without an owner. Throws 429 above `max` and over a limit of the owner, and after five seconds without a turn.
   */
  enter(reply: FastifyReply, counted: Counted): Promise<void>;
  /** Ends the turn of a request: its work is done, also when its client has disconnected meanwhile. */
  leave(request: FastifyRequest): void;
}

interface Owner {
  /** Requests whose connection is open. */
  inFlight: number;
  /** Requests whose turn it is. */
  atWork: number;
  limit: LimitFunction;
}

type OwnerLimits = Readonly<Record<'ofOwner' | 'ofOwnerAtOnce' | 'waitMs', number>>;

/** Whose turns a request takes: those of its owner, or of its caller alone when nobody else may keep it waiting. */
export const turnsOf = ({ ownerId, callerId, isUrgent }: { ownerId: string; callerId: string; isUrgent: boolean }): string =>
  isUrgent ? `${ownerId} ${callerId}` : ownerId;

/** Whose turns a request takes, and how many may be in flight with it. */
export const countedAs = ({ caller, method, routeOptions }: FastifyRequest): Counted => ({
  owner:
    caller === null
      ? undefined
      : turnsOf({
          ownerId: caller.ownerId,
          callerId: caller.keyId,
          isUrgent: routeOptions.config.operation?.urgent ?? false,
        }),
  max: method === 'GET' ? LIMITS.requests.reads : LIMITS.requests.writes,
});

/** Bounds the requests in flight, so that an overloaded process completes what it accepts and rejects the rest with 429. */
export const createLoadShedder = ({ ofOwner, ofOwnerAtOnce, waitMs }: OwnerLimits = LIMITS.requests): LoadShedder => {
  const owners = new Map<string, Owner>();
  const turns = new WeakMap<FastifyRequest, () => void>();
  let inFlight = 0;

  /** What an owner may have processed at once is not reduced by others. */
  const mayEnter = (owner: Owner, free: number): boolean =>
    owner.inFlight < ofOwnerAtOnce || owner.inFlight < Math.min(ofOwner, free);

  const forgetIfIdle = (id: string, { inFlight, atWork }: Owner): void => {
    if (inFlight === 0 && atWork === 0) owners.delete(id);
  };

  /** Resolves to true when it is the turn of a request, which lasts until it leaves; false after a wait too long. */
  const getTurn = (id: string, owner: Owner, reply: FastifyReply): Promise<boolean> =>
    new Promise((resolve) => {
      let isLate = false;
      const timeout = setTimeout(() => {
        isLate = true;
        resolve(false);
      }, waitMs);
      void owner.limit(async () => {
        clearTimeout(timeout);
        if (isLate || reply.raw.destroyed) return;
        owner.atWork++;
        const left = new Promise<void>((leave) => turns.set(reply.request, leave));
        resolve(true);
        await left;
        owner.atWork--;
        forgetIfIdle(id, owner);
      });
    });

  return {
    async enter(reply, { owner: id, max }) {
      if (isDropped(reply)) return;
      if (inFlight >= max) throw overloaded(reply, 'The server is overloaded');
      const owner = id === undefined ? null : (owners.get(id) ?? { inFlight: 0, atWork: 0, limit: pLimit(ofOwnerAtOnce) });
      if (owner && !mayEnter(owner, max - inFlight)) throw overloaded(reply, 'Too many of your requests are in flight');
      inFlight++;
      if (id !== undefined && owner) {
        owner.inFlight++;
        owners.set(id, owner);
      }
      // Emitted once, after the response or when the client disconnects.
      reply.raw.once('close', () => {
        inFlight--;
        if (id === undefined || !owner) return;
        owner.inFlight--;
        forgetIfIdle(id, owner);
      });
      if (id === undefined || !owner) return;
      if (!(await getTurn(id, owner, reply))) throw overloaded(reply, 'Too many of your requests are in flight');
    },
    leave: (request) => turns.get(request)?.(),
  };
};
