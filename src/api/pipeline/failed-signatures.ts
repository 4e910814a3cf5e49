import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { FAILED_SIGNATURES_OF_ADDRESS_PER_MINUTE, FAILED_SIGNATURES_PER_MINUTE, RATE_WINDOW_MS } from '../../contracts/limits.ts';
import { bounded } from '../../platform/bounded.ts';
import { SECOND_MS } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import type { RateLimiter } from '../../platform/redis/rate-limit.ts';

/** What a message is sent to: a receiver, and the program or rail in its path. */
export interface Target {
  receiver: string;
  name: string;
}

const NAME = /^[\w-]{1,64}$/;

/** Whatever nothing can be named after is one target, as is everything that does not exist. */
const UNKNOWN = '?';

export const targetOf = (receiver: string, params: Readonly<Record<string, string>>): Target => {
  const name = Object.values(params).join('-').toLowerCase();
  return { receiver, name: name === '' || NAME.test(name) ? name : UNKNOWN };
};

/** Programs and rails that do not exist are guesses, too. */
const isFailedSignature = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'UNAUTHORIZED' || error.code === 'NOT_FOUND');

const isGuess = (error: unknown): boolean => error instanceof AppError && error.code === 'NOT_FOUND';

type Sender = Pick<FastifyRequest, 'address'>;

export interface FailedSignatures {
  /** Whether the sender failed too often there, or anywhere: its messages cost no query, and get 429 unless they are signed. */
  isSuspect(sender: Sender, target: Target): boolean;
  /** The 429 of a suspect; null for all others. */
  refusalOf(reply: FastifyReply, target: Target): AppError | null;
  count(sender: Sender, target: Target, error: unknown): Promise<void>;
  /** The error to send when a message was received and not accepted. A failed signature counts, unless its sender is refused already. */
  judge(reply: FastifyReply, target: Target, error: unknown): Promise<unknown>;
}

/**
 * Counts messages without a valid signature, by address and target: others who send from the same address, such as a payment system, are
 * not concerned. Who has failed too often is remembered, so that signed messages cost no call to Redis.
 */
export const countFailedSignatures = (limiter: RateLimiter): FailedSignatures => {
  const limitedUntil = new LRUCache<string, number>({ ...bounded(50_000), ttl: RATE_WINDOW_MS });
  const ofAddress = ({ address }: Sender): string => `signature:${address}`;
  const ofTarget = ({ address }: Sender, { receiver, name }: Target): string => `signature:${address}:${receiver}:${name}`;

  const waitMs = (sender: Sender, target: Target): number => {
    const buckets = [ofAddress(sender), ofTarget(sender, target), ofTarget(sender, { ...target, name: UNKNOWN })];
    return Math.max(...buckets.map((bucket) => (limitedUntil.get(bucket) ?? 0) - Date.now()));
  };

  const countIn = async (bucket: string, limit: number): Promise<void> => {
    const { remaining, resetAt } = await limiter.decide(bucket, limit);
    if (remaining === 0) limitedUntil.set(bucket, resetAt * SECOND_MS);
  };

  const count: FailedSignatures['count'] = async (sender, target, error) => {
    const failedAt = isGuess(error) ? { ...target, name: UNKNOWN } : target;
    await Promise.all([
      countIn(ofTarget(sender, failedAt), FAILED_SIGNATURES_PER_MINUTE),
      countIn(ofAddress(sender), FAILED_SIGNATURES_OF_ADDRESS_PER_MINUTE),
    ]);
  };

  const refusalOf: FailedSignatures['refusalOf'] = (reply, target) => {
    const retryAfter = Math.ceil(waitMs(reply.request, target) / SECOND_MS);
    if (retryAfter <= 0) return null;
    reply.header('retry-after', retryAfter);
    return new AppError('RATE_LIMITED', 'Too many requests of this address had no valid signature', { retryAfter });
  };

  return {
    isSuspect: (sender, target) => waitMs(sender, target) > 0,
    refusalOf,
    count,
    async judge(reply, target, error) {
      if (!isFailedSignature(error)) return error;
      const refusal = refusalOf(reply, target);
      if (!refusal) await count(reply.request, target, error);
      return refusal ?? error;
    },
  };
};
