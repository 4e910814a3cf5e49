import type { FastifyInstance } from 'fastify';
import { forkOf } from '../platform/database/orm.ts';
import { firstRow, sql } from '../platform/database/sql.ts';
import { shareCalls, succeeds } from '../platform/health-checks.ts';
import type { Runtime } from '../runtime.ts';

/**
 * Ready: Postgres responds and no shutdown has begun. Without Redis, requests are served with per-process rate limits, so the
 * process is ready and degraded. A Temporal outage delays work but fails no request.
 */
export const mountHealth = (
  app: FastifyInstance,
  { runtime, shutdown }: { runtime: Runtime; shutdown: { readonly begun: boolean } },
): void => {
  const check = shareCalls(async () => {
    const [postgres, redis] = await Promise.all([
      succeeds(firstRow(forkOf(runtime.orm), sql`select 1`)),
      succeeds(runtime.redis.ping()),
    ]);
    return { postgres, redis, degraded: redis ? [] : ['redis'] };
  });
  app.get('/health/live', async () => ({ status: 'live' }));
  app.get('/health/ready', async (_request, reply) => {
    const checks = await check();
    const ready = checks.postgres && !shutdown.begun;
    const status = shutdown.begun ? 'stopping' : ready ? 'ready' : 'not ready';
    return reply.code(ready ? 200 : 503).send({ status, ...checks });
  });
};
