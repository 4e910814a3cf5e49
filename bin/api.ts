import closeWithGrace from 'close-with-grace';
import { subscribeToInvalidation } from '../src/api/cache-invalidation.ts';
import { buildApi } from '../src/api/server.ts';
import { loadConfig, metricsAddress } from '../src/config.ts';
import { mountConsole } from '../src/console/index.ts';
import { RATE_WINDOW_MS } from '../src/contracts/limits.ts';
import { armFaultPoints } from '../src/platform/fault-points.ts';
import { listenOn } from '../src/platform/http/listen-on.ts';
import { listenForMetrics } from '../src/platform/metrics/listen-for-metrics.ts';
import { addNodeMetrics } from '../src/platform/metrics/process-metrics.ts';
import { createRateLimiter } from '../src/platform/redis/rate-limit.ts';
import { exitOnStartupError, orExit } from '../src/platform/startup-error.ts';
import { startTracing } from '../src/platform/tracing/start-tracing.ts';
import { openRuntime } from '../src/runtime.ts';

const config = orExit(() => loadConfig(process.env));
armFaultPoints(config.FAULT_POINTS);
const runtime = await openRuntime(config, 'api').catch(exitOnStartupError);
const limiter = createRateLimiter({
  redis: runtime.redis,
  log: runtime.log,
  windowMs: RATE_WINDOW_MS,
  instances: config.API_INSTANCES,
});
const tracing = await startTracing({
  endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
  service: 'tributary-api',
  log: runtime.log,
});
const { app, keys } = await buildApi(runtime, limiter, config, [mountConsole]);
addNodeMetrics(runtime.metrics.registry);
const metrics = await listenForMetrics(runtime.metrics.registry, metricsAddress(config, 'api')).catch(exitOnStartupError);
const subscriber = subscribeToInvalidation(config.REDIS_URL, keys, runtime.log);
const address = { host: config.API_HOST, port: config.API_PORT };
const url = await listenOn(app, address, 'API_PORT').catch(exitOnStartupError);
runtime.log.info({ url, metricsUrl: metrics.url }, 'api listening');

closeWithGrace({ delay: 30_000, logger: runtime.log }, async ({ err }) => {
  if (err) runtime.log.error({ err }, 'api stopping after an uncaught error');
  await app.close();
  await metrics.close();
  subscriber.disconnect();
  await runtime.close();
  await tracing?.close();
});
