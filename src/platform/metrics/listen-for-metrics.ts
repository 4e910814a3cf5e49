import Fastify from 'fastify';
import type { Registry } from 'prom-client';
import { SECOND_MS } from '../clock.ts';
import { listenOn } from '../http/listen-on.ts';

export interface MetricsServer {
  url: string;
  close(): Promise<void>;
}

export interface MetricsAddress {
  host: string;
  port: number;
}

const MAX_CONNECTIONS = 64;

/** Serves `GET /metrics`, and nothing else, on an address of its own: metrics are not public. */
export const listenForMetrics = async (
  registry: Registry,
  { host, port }: MetricsAddress,
  moreText: () => Promise<string> = async () => '',
): Promise<MetricsServer> => {
  const app = Fastify({ logger: false, requestTimeout: 5 * SECOND_MS, keepAliveTimeout: 65 * SECOND_MS, bodyLimit: 1_024 });
  app.server.maxConnections = MAX_CONNECTIONS;
  app.get('/metrics', async (_request, reply) => {
    const [text, more] = await Promise.all([registry.metrics(), moreText()]);
    return reply.type(registry.contentType).send(text + more);
  });
  const url = await listenOn(app, { host, port }, 'METRICS_PORT');
  return { url: `${url}/metrics`, close: () => app.close() };
};
