import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { PoolUsage } from '../database/pool.ts';

/** The metrics of one process. Labels come from closed sets (rails, outcomes, routes), so the number of series is bounded. */
export interface ProcessMetrics {
  registry: Registry;
  railCalls: Histogram<'rail' | 'operation' | 'outcome'>;
  deliveryAttempts: Counter<'outcome'>;
  /** By outcome: sent, or the error code. */
  mailTries: Counter<'outcome'>;
  releaseFailures: Counter;
  retentionRemoved: Counter<'step'>;
}

const LATENCY_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export const createProcessMetrics = (poolUsage: () => PoolUsage): ProcessMetrics => {
  const registry = new Registry();
  const registers = [registry];
  new Gauge({
    name: 'tributary_database_pool_connections',
    help: 'Connections of the database pool by state; "waiting" counts callers that wait for one',
    labelNames: ['state'],
    registers,
    collect() {
      const { total, idle, waiting } = poolUsage();
      this.set({ state: 'in_use' }, total - idle);
      this.set({ state: 'idle' }, idle);
      this.set({ state: 'waiting' }, waiting);
    },
  });
  return {
    registry,
    railCalls: new Histogram({
      name: 'tributary_rail_call_seconds',
      help: 'Duration of calls to payment providers by rail, operation and outcome',
      labelNames: ['rail', 'operation', 'outcome'],
      buckets: LATENCY_BUCKETS,
      registers,
    }),
    deliveryAttempts: new Counter({
      name: 'tributary_webhook_attempts_total',
      help: 'Webhook delivery attempts by outcome: succeeded, or the error code',
      labelNames: ['outcome'],
      registers,
    }),
    mailTries: new Counter({
      name: 'tributary_mail_tries_total',
      help: 'Tries to send a mail by outcome: sent, or the error code',
      labelNames: ['outcome'],
      registers,
    }),
    releaseFailures: new Counter({
      name: 'tributary_commission_release_failures_total',
      help: 'Failed attempts to approve commissions whose hold period has ended',
      registers,
    }),
    retentionRemoved: new Counter({
      name: 'tributary_retention_removed_total',
      help: 'What retention removed by step: partitions in the step "partitions", else rows',
      labelNames: ['step'],
      registers,
    }),
  };
};

/** CPU, memory, event loop and garbage collection. Its observers run until the process ends, so processes only call it once. */
export const addNodeMetrics = (registry: Registry): void => collectDefaultMetrics({ register: registry });
