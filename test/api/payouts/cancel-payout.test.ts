import { useTestApi } from '../../support/api.ts';
import { makePayout } from '../../support/payouts.ts';

const api = useTestApi();

it('200: a payout that was not started fails as cancelled, and its money is payable again', async () => {
  const { act, key, affiliateId, programId } = await makePayout(api);
  const answer = await act('cancel');
  expect(answer.data).toMatchObject({ status: 'failed', failureCode: 'cancelled' });
  const next = await api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  expect(next.data).toMatchObject({ amount: 2000, status: 'pending' });
});

it('409 ATTEMPT_STARTED once an attempt exists', async () => {
  const { act, read } = await makePayout(api);
  await act('process');
  const answer = await act('cancel');
  expect(answer.status).toBe(409);
  expect(answer.error.details).toMatchObject({ reason: 'ATTEMPT_STARTED', status: 'processing' });
  expect(await read()).toMatchObject({ status: 'processing' });
});

it('409 ILLEGAL_TRANSITION for a cancelled one', async () => {
  const { act } = await makePayout(api);
  await act('cancel');
  expect((await act('cancel')).error.details).toMatchObject({ reason: 'ILLEGAL_TRANSITION', from: 'failed' });
});

it('of ten simultaneous cancel and process calls exactly one wins', async () => {
  const { act, read } = await makePayout(api);
  const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => act(n % 2 === 0 ? 'cancel' : 'process')));
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
  const [winner] = answers.filter((answer) => answer.status === 200);
  expect(await read()).toMatchObject({ status: winner?.data.status });
});
