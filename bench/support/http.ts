import type { Load } from './generator.ts';
import { measure, send } from './load.ts';
import { options } from './options.ts';
import { type Bounds, median, report } from './report.ts';
import { compareRates } from './rounds.ts';
import { type Environment, type Server, startServer } from './server.ts';

/** Starts the real API process. */
export const startApi = (env: Environment, name = 'api'): Promise<Server> =>
  startServer({ name, program: 'bin/api.ts', env, portSetting: 'API_PORT', readyPath: '/health/ready', pinned: true });

/** Starts the anchor of a benchmark; it reads its settings from the environment and serves `/ready`. */
export const startAnchor = (program: string, env: Environment): Promise<Server> =>
  startServer({ name: 'anchor', program: `bench/${program}`, env, portSetting: 'PORT', readyPath: '/ready', pinned: true });

export interface Side {
  server: Server;
  load: Omit<Load, 'seconds' | 'amount'>;
}

/** Warms both servers up, measures them alternately, and reports their rates and the CPU time per request. */
export const compare = async (figure: Bounds & { name: string; what: string }, ours: Side, anchor: Side): Promise<void> => {
  const run = (side: Side) => () => measure(side.server, { ...side.load, seconds: options.seconds });
  for (const side of [ours, anchor]) await send({ ...side.load, seconds: options.warmUpSeconds });
  const { pairs, rates, cpu } = await compareRates(run(ours), run(anchor));
  report({
    ...figure,
    unit: 'requests/s',
    ...rates,
    more: {
      ...cpu,
      'ratio by CPU': median(pairs.map((pair) => pair.anchor.cpuMicros / pair.ours.cpuMicros)),
      'core used': median(pairs.map((pair) => pair.ours.busy)),
      'by the anchor': median(pairs.map((pair) => pair.anchor.busy)),
      'p99 ms': median(pairs.map((pair) => pair.ours.p99)),
    },
  });
};
