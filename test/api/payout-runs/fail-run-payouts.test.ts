import { useTestApi } from '../../support/api.ts';
import { makeManualRun, resultsOf } from './by-hand.ts';

const api = useTestApi();

test('named payouts that could not be paid are failed, once, and never those that were paid', async () => {
  const { act, payoutIds, statuses } = await makeManualRun(api, 3);
  const [first, , third] = payoutIds;
  await act('process');
  await act('complete', { payoutIds: [third] });
  const fail = () => act('fail', { payoutIds: [first, third], note: 'Rejected by the bank' });
  expect(resultsOf((await fail()).data)).toEqual(['done', 'refused ALREADY_COMPLETED']);
  expect(resultsOf((await fail()).data)).toEqual(['refused ALREADY_COMPLETED', 'unchanged']);
  expect(await statuses()).toEqual(['failed', 'processing', 'completed']);
  expect((await act('fail', {})).status).toBe(422);
});
