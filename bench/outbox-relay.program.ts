import { loadConfig } from '../src/config.ts';
import { openRuntime } from '../src/runtime.ts';
import { createRelay } from '../src/temporal/relay/relay.ts';
import { performRequests } from './support/program.ts';

/** The relay of the worker, with all its statements and routes. Only the call to Temporal is left out. */
const runtime = await openRuntime(loadConfig(process.env), 'worker');
const { orm, ids, log } = runtime;

/** Runs a relay until it finds no row. */
const drain = async (): Promise<number> => {
  let drained = 0;
  const relay = createRelay({
    orm,
    ids,
    log,
    dispatch: async () => {},
    onRound(finished) {
      drained += finished;
      if (finished === 0) relay.stop();
    },
  });
  await relay.run();
  return drained;
};

performRequests(async () => ({ drained: await drain() }));
