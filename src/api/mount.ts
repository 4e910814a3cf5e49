import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';
import type { RateLimiter } from '../platform/redis/rate-limit.ts';
import type { Runtime } from '../runtime.ts';

export interface MountInput {
  runtime: Runtime;
  limiter: RateLimiter;
  config: Config;
}

/** Adds routes to the HTTP process that the API knows nothing of. */
export type Mount = (app: FastifyInstance, input: MountInput) => Promise<void>;
