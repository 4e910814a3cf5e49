import fc from 'fast-check';
import { verifyLedger } from '../../src/domains/ledger/index.ts';
import { useOwnApi } from '../support/api.ts';
import { findWrongTotals, makePrograms, scenarios } from '../support/arrival-order.ts';

/** A1: 30 repetitions, as `npm run chaos` makes them by default, are 10,000 runs. */
const RUNS = 334;

const api = useOwnApi();

it(`${RUNS} random sets of events lead to the same attributions and books in two orders of arrival`, async () => {
  const { receive } = await makePrograms(api);
  await fc.assert(
    fc.asyncProperty(scenarios, async (scenario) => {
      const shuffled = scenario.order.flatMap((at) => scenario.events.slice(at, at + 1));
      expect(await receive(scenario, shuffled)).toEqual(await receive(scenario, scenario.events));
    }),
    { numRuns: RUNS },
  );
  const ctx = api.runtime.context({ kind: 'system', name: 'test' });
  expect(await verifyLedger(ctx)).toEqual([]);
  expect(await findWrongTotals(ctx)).toEqual([]);
});
