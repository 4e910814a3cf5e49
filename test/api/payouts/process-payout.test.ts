import { openTestApi, useTestApi } from '../../support/api.ts';
import { makePayout } from '../../support/payouts.ts';

const api = useTestApi({ RAIL_PAYPAL: 'manual' });

it('200: moves a pending payout of the manual rail to processing and writes its attempt', async () => {
  const { act, key, payoutId } = await makePayout(api);
  const answer = await act('process');
  expect(answer.status).toBe(200);
  expect(answer.data).toMatchObject({ id: payoutId, status: 'processing', processingAt: expect.any(String) });
  const timeline = await api.call('GET', `/payouts/${payoutId}/timeline`, { key });
  expect(timeline.data).toMatchObject([
    { what: 'created', to: 'pending' },
    { what: 'attempt started', from: 'pending', to: 'processing', attempt: 1 },
  ]);
});

it('409 ILLEGAL_TRANSITION: a payout is started once', async () => {
  const { act } = await makePayout(api);
  await act('process');
  const again = await act('process');
  expect(again.status).toBe(409);
  expect(again.error.details).toMatchObject({ reason: 'ILLEGAL_TRANSITION', from: 'processing', to: 'processing' });
});

describe('on another rail', () => {
  it('409 RAIL_NOT_MANUAL', async () => {
    const settings = {
      SANDBOX_URL: 'http://127.0.0.1:9',
      SANDBOX_API_KEY: '0123456789abcdef',
      SANDBOX_NOTIFICATION_SECRET: `whsec_${'A'.repeat(43)}=`,
    };
    const sandbox = await openTestApi({ RAIL_PAYPAL: 'sandbox', ...settings });
    try {
      const { act } = await makePayout(sandbox);
      for (const verb of ['process', 'complete', 'fail']) {
        const answer = await act(verb, verb === 'process' ? undefined : { note: 'by hand' });
        expect(answer.status).toBe(409);
        expect(answer.error.details).toMatchObject({ reason: 'RAIL_NOT_MANUAL', rail: 'sandbox' });
      }
    } finally {
      await sandbox.close();
    }
  });
});
