import fc from 'fast-check';
import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { useTestApi } from '../../support/api.ts';
import { findWrongTotals, makePrograms, scenarios } from '../../support/arrival-order.ts';

const api = useTestApi();

it('with one evidence per sale, every order of arrival gives the same attributions and the same books', async () => {
  const { receive } = await makePrograms(api);
  await fc.assert(
    fc.asyncProperty(scenarios, async (scenario) => {
      const shuffled = scenario.order.flatMap((at) => scenario.events.slice(at, at + 1));
      expect(await receive(scenario, shuffled)).toEqual(await receive(scenario, scenario.events));
    }),
    { numRuns: 200, endOnFailure: true },
  );
  const ctx = api.runtime.context({ kind: 'system', name: 'test' });
  expect(await verifyLedger(ctx)).toEqual([]);
  expect(await findWrongTotals(ctx)).toEqual([]);
}, 120_000);
