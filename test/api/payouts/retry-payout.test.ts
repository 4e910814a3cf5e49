import { useTestApi } from '../../support/api.ts';
import { sendSale } from '../../support/factories.ts';
import { makePayout } from '../../support/payouts.ts';

const api = useTestApi();

it('201: a new payout with the amount computed anew; the failed one stays failed', async () => {
  const { act, payoutId, program, code, read } = await makePayout(api);
  await act('cancel');
  await sendSale(api, program, { amount: 5_000, referralCode: code });
  const answer = await act('retry');
  expect(answer.status).toBe(201);
  expect(answer.data).toMatchObject({ retryOf: payoutId, amount: 3000, status: 'pending' });
  expect(answer.data.id).not.toBe(payoutId);
  expect(await read()).toMatchObject({ status: 'failed', amount: 2000 });
});

it('409 NOT_FAILED', async () => {
  const { act } = await makePayout(api);
  expect((await act('retry')).error.details).toMatchObject({ reason: 'NOT_FAILED', status: 'pending' });
});

it('409 ALREADY_RETRIED, also when two ask at once', async () => {
  const { act } = await makePayout(api);
  await act('cancel');
  const answers = await Promise.all([act('retry'), act('retry'), act('retry')]);
  const [won] = answers.filter((answer) => answer.status === 201);
  expect(answers.map((answer) => answer.status).sort()).toEqual([201, 409, 409]);
  expect((await act('retry')).error.details).toMatchObject({ reason: 'ALREADY_RETRIED', payoutId: won?.data.id });
});

it('409 under the rules of a new payout', async () => {
  const { act, key, affiliateId } = await makePayout(api);
  await act('cancel');
  await api.call('POST', `/affiliates/${affiliateId}/block`, { key });
  expect((await act('retry')).error.details).toMatchObject({ reason: 'AFFILIATE_BLOCKED' });
});
