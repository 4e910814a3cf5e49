import type { FastifyReply } from 'fastify';
import type { RateLimiter } from '../../platform/redis/rate-limit.ts';
import { LIMITS } from '../hardening/limits.ts';
import { createLoadShedder, isGone, type LoadShedder, overloaded } from '../hardening/load-shedding.ts';
import { DISCONNECTED } from './errors.ts';
import { countFailedSignatures, type FailedSignatures } from './failed-signatures.ts';

/** Gives a message whose signature is right the turn of its sender. */
type Admit = (owner: string) => Promise<void>;

/** What takes signed messages. They are limited by concurrency instead of a rate: payment systems send in bursts. */
export interface SignedDoor {
  failures: FailedSignatures;
  /** Bounds the messages whose signatures are being verified, and those of one sender. */
  enter<T>(reply: FastifyReply, handle: (admit: Admit) => Promise<T>): Promise<T>;
}

/** Makes one door for each endpoint: they count failures, and what is in flight, together. */
export const signedDoors = (limiter: RateLimiter): (() => SignedDoor) => {
  const failures = countFailedSignatures(limiter);
  const messages = createLoadShedder(LIMITS.messages);
  return () => ({ failures, enter: createAdmission(messages) });
};

const createAdmission = (messages: LoadShedder): SignedDoor['enter'] => {
  let unverified = 0;
  return async (reply, handle) => {
    if (unverified >= LIMITS.unverifiedMessages) throw overloaded(reply, 'The server is overloaded');
    let isVerified = false;
    const leaveUnverified = (): void => {
      if (!isVerified) unverified--;
      isVerified = true;
    };
    unverified++;
    try {
      return await handle((owner) => {
        leaveUnverified();
        if (isGone(reply)) throw DISCONNECTED;
        return messages.enter(reply, { owner, max: LIMITS.messages.max });
      });
    } finally {
      leaveUnverified();
      messages.leave(reply.request);
    }
  };
};
