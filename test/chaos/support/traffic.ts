import { pause } from '../../support/until.ts';
import { type Outcome, retry, send } from './client.ts';
import type { TestCluster } from './test-cluster.ts';

export interface TrafficReport {
  /** All requests, including refused ones. */
  requests: number;
  /** Requests that failed other than by a refused connection. */
  failures: string[];
  refused: number;
  payouts: number;
}

export interface Traffic {
  /** Waits for requests in flight. */
  stop(): Promise<TrafficReport>;
}

const describe = (outcome: Outcome): string =>
  outcome.kind === 'response' ? `${outcome.status} ${outcome.body.slice(0, 200)}` : `${outcome.kind} ${outcome.code}`;

/** Creates a payout for each of `bodies`, with idempotency keys, and reads in between; keeps reading until stopped. */
export const startTraffic = (
  cluster: TestCluster,
  options: { urls: readonly string[]; bodies: unknown[]; clients: number; pauseMs: number },
): Traffic => {
  const report: TrafficReport = { requests: 0, failures: [], refused: 0, payouts: 0 };
  const bodies = options.bodies.values();
  let running = true;
  const count = (outcome: Outcome): void => {
    report.requests++;
    if (outcome.kind === 'refused') report.refused++;
    else if (outcome.kind !== 'response' || outcome.status >= 400) report.failures.push(describe(outcome));
  };
  const runClient = async (at: number): Promise<void> => {
    for (let turn = at; running; turn++) {
      const { value: body } = bodies.next();
      if (body !== undefined) {
        const { outcome, tries } = await retry(cluster.responses, { urls: options.urls, key: cluster.key, body });
        tries.forEach(count);
        if (outcome.kind === 'response' && outcome.status === 201) report.payouts++;
      }
      const read = { method: 'GET' as const, path: '/payouts?limit=5', key: cluster.key };
      for (const url of [options.urls[turn % options.urls.length], ...options.urls]) {
        const outcome = await send(url ?? '', read);
        count(outcome);
        if (outcome.kind !== 'refused') break;
      }
      await pause(options.pauseMs, 'clients come again');
    }
  };
  const clients = Array.from({ length: options.clients }, (_, at) => runClient(at));
  return {
    async stop() {
      running = false;
      await Promise.all(clients);
      return report;
    },
  };
};
