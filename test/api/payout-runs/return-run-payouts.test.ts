import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { useTestApi } from '../../support/api.ts';
import { makeManualRun, resultsOf } from './by-hand.ts';

const api = useTestApi();

test('named payments that came back are payable again, once', async () => {
  const { act, payoutIds, statuses } = await makeManualRun(api);
  await act('process');
  await act('complete', { payoutIds: [payoutIds[0]] });
  const give = () => act('return', { payoutIds, note: 'Account closed' });
  expect(resultsOf((await give()).data)).toEqual(['done', 'refused NEVER_PAID']);
  expect(resultsOf((await give()).data)).toEqual(['refused NEVER_PAID', 'unchanged']);
  expect(await statuses()).toEqual(['failed', 'processing']);
  expect(await verifyLedger(api.runtime.context({ kind: 'system', name: 'test' }))).toEqual([]);
  expect((await act('return', { payoutIds })).status).toBe(422);
});
