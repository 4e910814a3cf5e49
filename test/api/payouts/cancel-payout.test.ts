import { useTestApi } from '../../support/api.ts';
import { makePayout } from '../../support/payouts.ts';

const api = useTestApi();

it('200: a pending payout fails as cancelled, and its amount is payable again', async () => {
  const { act, key, affiliateId, programId } = await makePayout(api);
  const response = await act('cancel');
  expect(response.data).toMatchObject({ status: 'failed', failureCode: 'cancelled' });
  const next = await api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  expect(next.data).toMatchObject({ amount: 2000, status: 'pending' });
});

it('409 ATTEMPT_STARTED once an attempt exists', async () => {
  const { act, read } = await makePayout(api);
  await act('process');
  const response = await act('cancel');
  expect(response.status).toBe(409);
  expect(response.error.details).toMatchObject({ reason: 'ATTEMPT_STARTED', status: 'processing' });
  expect(await read()).toMatchObject({ status: 'processing' });
});

it('409 ILLEGAL_TRANSITION for a cancelled payout', async () => {
  const { act } = await makePayout(api);
  await act('cancel');
  expect((await act('cancel')).error.details).toMatchObject({ reason: 'ILLEGAL_TRANSITION', from: 'failed' });
});

it('of ten simultaneous cancel and process calls exactly one wins', async () => {
  const { act, read } = await makePayout(api);
  const responses = await Promise.all(Array.from({ length: 10 }, (_, n) => act(n % 2 === 0 ? 'cancel' : 'process')));
  expect(responses.filter((response) => response.status === 200)).toHaveLength(1);
  const [winner] = responses.filter((response) => response.status === 200);
  expect(await read()).toMatchObject({ status: winner?.data.status });
});
