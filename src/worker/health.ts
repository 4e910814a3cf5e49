import Fastify, { type FastifyInstance } from 'fastify';
import { SECOND_MS } from '../platform/clock.ts';
import { forkOf, type Orm } from '../platform/database/orm.ts';
import { firstRow, sql } from '../platform/database/sql.ts';
import { shareCalls, succeeds } from '../platform/health-checks.ts';
import { listenOn } from '../platform/http/listen-on.ts';

export interface WorkerHealth {
  orm: Orm;
  /** Whether the workers of all task queues of this process poll. */
  isPolling(): boolean;
  /** Whether the relay runs; true without the role. */
  isRelaying(): boolean;
}

const MAX_CONNECTIONS = 64;

/** Ready: Postgres responds, and everything that the roles of this process need is running. */
export const listenForHealth = async (
  { orm, isPolling, isRelaying }: WorkerHealth,
  address: { host: string; port: number },
): Promise<FastifyInstance> => {
  const hasPostgres = shareCalls(() => succeeds(firstRow(forkOf(orm), sql`select 1`)));
  const app = Fastify({ logger: false, requestTimeout: 5 * SECOND_MS, keepAliveTimeout: 65 * SECOND_MS, bodyLimit: 1_024 });
  app.server.maxConnections = MAX_CONNECTIONS;
  app.get('/health/live', async () => ({ status: 'live' }));
  app.get('/health/ready', async (_request, reply) => {
    const checks = { postgres: await hasPostgres(), temporal: isPolling(), relay: isRelaying() };
    const ready = Object.values(checks).every(Boolean);
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready', ...checks });
  });
  await listenOn(app, address, 'WORKER_HEALTH_PORT');
  return app;
};
