import { createRunPayouts } from '../../../src/domains/payout-runs/index.ts';
import { draftRun, makePayees } from '../../support/payout-runs.ts';
import { NEVER_RECEIVED, providerError } from '../../support/provider.ts';
import { payByRail, railSteps, rowsOf, transferOf, useRailApi } from '../../support/rail-payouts.ts';

const api = useRailApi();

beforeEach(() => {
  api.provider.orders.length = 0;
  api.provider.onSubmit(() => providerError(500, 'internal_error'));
  api.provider.onLookUp(() => NEVER_RECEIVED);
});

const allowResend = (payoutId: string) =>
  rowsOf(api, `update payout_attempt set resend_at = now() - interval '1 second' where payout_id = ?`, [payoutId]);

/** The payout of a run of one, sent once and not received. */
const sentByRun = async () => {
  const payees = await makePayees(api, [{ amount: 10_000 }]);
  const run = await draftRun(api, payees);
  await run.confirm();
  await createRunPayouts(api.runtime.context({ kind: 'system', name: 'payoutRun' }), { runId: run.runId });
  const [{ id }] = await rowsOf(api, 'select id from payout where payout_run_id = ?', [run.runId]);
  const steps = railSteps(api, id, payees.key);
  await steps.send();
  await allowResend(id);
  return { ...run, ...steps };
};

const sentAlone = async () => {
  const payout = await payByRail(api);
  await payout.send();
  await allowResend(payout.payoutId);
  return payout;
};

type Sent = Awaited<ReturnType<typeof sentAlone>>;

const asOwner = ({ key, affiliateId }: Sent, method: 'PATCH' | 'POST', verb: string, body?: object) =>
  api.call(method, `/affiliates/${affiliateId}${verb}`, { key, body });

it('a paused run sends nothing again, and does once it is resumed', async () => {
  const { act, lookUp } = await sentByRun();
  expect((await act('pause')).status).toBe(200);
  expect(await lookUp()).toMatchObject({ sendCount: 1, needsAttention: false, attemptOutcome: 'unknown' });
  expect(api.provider.orders).toHaveLength(1);
  await act('resume');
  expect(await lookUp()).toMatchObject({ sendCount: 2 });
  expect(api.provider.orders).toHaveLength(2);
});

it('of a cancelled run nothing is sent again, and a person decides', async () => {
  const { act, lookUp } = await sentByRun();
  expect((await act('cancel')).status).toBe(200);
  expect(await lookUp()).toMatchObject({ sendCount: 1, needsAttention: true, reviewReason: 'resend_blocked' });
  expect(api.provider.orders).toHaveLength(1);
});

it.each<[string, (payout: Sent) => Promise<unknown>]>([
  ['a blocked affiliate', (payout) => asOwner(payout, 'POST', '/block')],
  ['a paused affiliate', (payout) => asOwner(payout, 'PATCH', '', { payoutsPaused: true })],
  [
    'a disputed sale',
    ({ payoutId }) => rowsOf(api, 'update conversion set disputed_at = now() where included_in = ?', [payoutId]),
  ],
])('%s: nothing is sent again, and a person decides', async (_, change) => {
  const payout = await sentAlone();
  await change(payout);
  expect(await payout.lookUp()).toMatchObject({ sendCount: 1, needsAttention: true, reviewReason: 'resend_blocked' });
  expect(api.provider.orders).toHaveLength(1);
  expect((await payout.timeline()).at(-1)).toMatchObject({ type: 'manual_review_requested', reason: 'resend_blocked' });
  const failed = await payout.act('fail', { note: 'The provider has no such transfer' });
  expect(failed.data).toMatchObject({ status: 'failed', needsAttention: false });
});

it('while another payout to the affiliate is contradicted, nothing is sent again', async () => {
  const refused = await payByRail(api);
  api.provider.onSubmit((order) => transferOf(order, 'failed', { failureCode: 'odd_code' }));
  expect(await refused.send()).toMatchObject({ status: 'failed' });
  const { data: retry } = await refused.act('retry');
  const { send, lookUp } = railSteps(api, retry.id, refused.key);
  api.provider.onSubmit(() => providerError(500, 'internal_error'));
  await send();
  await allowResend(retry.id);
  await refused.notify('paid');
  expect(await lookUp()).toMatchObject({ sendCount: 1, needsAttention: false });
  await refused.act('resolve', { outcome: 'not_paid', note: 'The provider has no such transfer' });
  expect(await lookUp()).toMatchObject({ sendCount: 2 });
});
