import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { Resource } from '@opentelemetry/resources';
import { BatchSpanProcessor, type SpanExporter, type SpanProcessor } from '@opentelemetry/sdk-trace-base';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { MINUTE_MS, SECOND_MS } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { exportedSpan } from './exported-span.ts';

/** What a process records its spans with. */
export interface Tracing {
  processor: SpanProcessor;
  resource: Resource;
  /** Sends what is waiting, within a deadline. */
  close(): Promise<void>;
}

const EXPORT_DEADLINE_MS = 5 * SECOND_MS;
const CLOSE_DEADLINE_MS = 3 * SECOND_MS;
/** A span more is dropped: a collector that is down costs no more memory than this. */
const MAX_WAITING_SPANS = 2_048;
const BATCH = { maxQueueSize: MAX_WAITING_SPANS, maxExportBatchSize: 512, scheduledDelayMillis: 2 * SECOND_MS };

const { version }: { version: string } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));

export const openTracerProvider = (options: { endpoint: string; service: string; log: Logger }): Tracing => {
  const { endpoint, service, log } = options;
  const url = `${endpoint.replace(/\/$/, '')}/v1/traces`;
  const exporter = safeExporter(new OTLPTraceExporter({ url, timeoutMillis: EXPORT_DEADLINE_MS, concurrencyLimit: 2 }), log);
  const processor = new BatchSpanProcessor(exporter, { ...BATCH, exportTimeoutMillis: EXPORT_DEADLINE_MS });
  const resource = new Resource({ 'service.name': service, 'service.version': version });
  const provider = new NodeTracerProvider({ resource, spanProcessors: [processor] });
  provider.register();
  return {
    processor,
    resource,
    async close() {
      const flushed = provider.shutdown().catch(() => {});
      await Promise.race([flushed, sleep(CLOSE_DEADLINE_MS, undefined, { ref: false })]);
    },
  };
};

/** Spans leave the process only as `exportedSpan`. One log line per minute says that they do not leave. */
const safeExporter = (exporter: SpanExporter, log: Logger): SpanExporter => {
  let nextWarningMs = 0;
  return {
    export(spans, done) {
      exporter.export(spans.map(exportedSpan), (result) => {
        if (result.error && Date.now() >= nextWarningMs) {
          nextWarningMs = Date.now() + MINUTE_MS;
          log.warn({ spans: spans.length }, 'spans could not be exported');
        }
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
};
