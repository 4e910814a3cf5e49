import Fastify, { type FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Orm } from '../platform/database/orm.ts';
import { outboxHealth } from '../relay/relay.ts';

/** Liveness and metrics of a worker. Alert on the age of the oldest outbox row. */
export const listenForHealth = async (orm: Orm, port: number): Promise<FastifyInstance> => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const waiting = new Gauge({ name: 'tributary_outbox_rows', help: 'Outbox rows waiting to be relayed', registers: [registry] });
  const age = new Gauge({
    name: 'tributary_outbox_oldest_seconds',
    help: 'Age of the oldest waiting outbox row in seconds',
    registers: [registry],
  });
  const app = Fastify({ logger: false });
  app.get('/health/live', async () => ({ status: 'live' }));
  app.get('/metrics', async (_request, reply) => {
    const health = await outboxHealth(orm);
    waiting.set(health.waiting);
    age.set(health.oldestSeconds);
    return reply.type(registry.contentType).send(await registry.metrics());
  });
  await app.listen({ host: '127.0.0.1', port });
  return app;
};
