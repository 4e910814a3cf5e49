import type { FastifyInstance } from 'fastify';
import { forkOf } from '../platform/database/orm.ts';
import { firstRow, sql } from '../platform/database/sql.ts';
import type { Runtime } from '../runtime.ts';
import type { Metrics } from './metrics.ts';

const works = (check: Promise<unknown>): Promise<boolean> =>
  check.then(
    () => true,
    () => false,
  );

/** Ready means able to decide requests: Postgres and Redis, and no stop under way. Temporal being away delays work and refuses nothing. */
export const mountHealth = (
  app: FastifyInstance,
  { runtime, metrics, farewell }: { runtime: Runtime; metrics: Metrics; farewell: { readonly begun: boolean } },
): void => {
  app.get('/health/live', async () => ({ status: 'live' }));
  app.get('/health/ready', async (_request, reply) => {
    const [postgres, redis] = await Promise.all([
      works(firstRow(forkOf(runtime.orm), sql`select 1`)),
      works(runtime.redis.ping()),
    ]);
    const ready = postgres && redis && !farewell.begun;
    const status = farewell.begun ? 'stopping' : ready ? 'ready' : 'not ready';
    return reply.code(ready ? 200 : 503).send({ status, postgres, redis });
  });
  app.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()));
};
