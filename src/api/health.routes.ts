import type { FastifyInstance } from 'fastify';
import { forkOf } from '../platform/database/orm.ts';
import { firstRow, sql } from '../platform/database/sql.ts';
import type { Runtime } from '../runtime.ts';
import type { Metrics } from './metrics.ts';

const succeeds = (check: Promise<unknown>): Promise<boolean> =>
  check.then(
    () => true,
    () => false,
  );

/** Ready: Postgres and Redis respond and no shutdown has begun. A Temporal outage delays work but fails no request. */
export const mountHealth = (
  app: FastifyInstance,
  { runtime, metrics, shutdown }: { runtime: Runtime; metrics: Metrics; shutdown: { readonly begun: boolean } },
): void => {
  app.get('/health/live', async () => ({ status: 'live' }));
  app.get('/health/ready', async (_request, reply) => {
    const [postgres, redis] = await Promise.all([
      succeeds(firstRow(forkOf(runtime.orm), sql`select 1`)),
      succeeds(runtime.redis.ping()),
    ]);
    const ready = postgres && redis && !shutdown.begun;
    const status = shutdown.begun ? 'stopping' : ready ? 'ready' : 'not ready';
    return reply.code(ready ? 200 : 503).send({ status, postgres, redis });
  });
  app.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()));
};
