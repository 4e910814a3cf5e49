import { remindPayout } from '../../../src/domains/payouts/index.ts';
import { returnedPayoutExample } from '../../../src/domains/payouts/payouts.examples.ts';
import { makeManualPayout } from '../../support/payouts.ts';
import { NEVER_RECEIVED, providerError } from '../../support/provider.ts';
import { payByRail, type RailPayout, rowsOf, transferOf, useRailApi } from '../../support/rail-payouts.ts';
import { mailsAbout, testContext } from '../notifications/support.ts';

const api = useRailApi();

/** Its automatic resends are over. */
const inReview = async (): Promise<RailPayout> => {
  api.provider.onSubmit(() => providerError(500, 'internal_error'));
  api.provider.onLookUp(() => NEVER_RECEIVED);
  const payout = await payByRail(api);
  await payout.send();
  await rowsOf(api, `update payout_attempt set resend_at = null, last_sent_at = now() - interval '1 hour' where payout_id = ?`, [
    payout.payoutId,
  ]);
  expect(await payout.lookUp()).toMatchObject({ needsAttention: true, reviewReason: 'resends_exhausted' });
  return payout;
};

const eventsOf = (payoutId: string, type: string) =>
  rowsOf(
    api,
    `select convert_from(body, 'UTF8')::jsonb as body from webhook_event
      where type = ? and convert_from(body, 'UTF8')::jsonb ->> 'subjectId' = ? order by id`,
    [type, payoutId],
  );

const attentionOf = async (payoutId: string) => ({
  mails: (await mailsAbout(api.runtime, payoutId)).filter(({ kind }) => kind === 'payout_attention'),
  events: (await eventsOf(payoutId, 'payout.needs_attention')).map(({ body }) => body),
});

const merchantEmailOf = async (merchantId: string): Promise<string> =>
  (await rowsOf(api, 'select email from merchant where id = ?', [merchantId]))[0]?.['email'] as string;

it('FI4: a review is mailed to the merchant and emitted in its transaction, once', async () => {
  const { payoutId, merchantId, lookUp, read } = await inReview();
  const { mails, events } = await attentionOf(payoutId);
  expect(mails).toMatchObject([{ to: await merchantEmailOf(merchantId), waiting: true }]);
  expect(mails[0]?.subject).toMatch(/^A payout waits for you: 20\.00 USD to /);
  expect(mails[0]?.text).toContain(`POST /payouts/${payoutId}/complete`);
  expect(events).toMatchObject([{ merchantId, data: { id: payoutId, needsAttention: true, reviewReason: 'resends_exhausted' } }]);
  expect(events[0]?.data).toEqual(await read());
  await lookUp();
  const again = await attentionOf(payoutId);
  expect([again.mails.length, again.events.length]).toEqual([1, 1]);
});

it('FI4: a contradiction is told once, whatever the provider repeats, and again when there is another one', async () => {
  const { payoutId, send, notify, act } = await payByRail(api);
  api.provider.onSubmit((order) => transferOf(order, 'accepted'));
  await send();
  await notify('paid');
  await notify('failed');
  await notify('failed');
  const first = await attentionOf(payoutId);
  expect(first.events).toMatchObject([{ data: { status: 'completed', reviewReason: 'contradiction' } }]);
  expect(first.mails).toHaveLength(1);
  expect(first.mails[0]?.text).toContain(`POST /payouts/${payoutId}/resolve`);
  expect((await act('resolve', { outcome: 'not_paid', note: 'The bank says so' })).status).toBe(200);
  await notify('paid');
  const second = await attentionOf(payoutId);
  expect(second.events.map(({ data }) => data.status)).toEqual(['completed', 'failed']);
  expect(second.mails).toHaveLength(2);
});

it('FI4: a payment by hand is reminded of, and needs attention when it is overdue', async () => {
  const { payoutId, merchantId } = await makeManualPayout(api);
  const remind = (reminder: number, last = false) => remindPayout(testContext(api.runtime), { payoutId, reminder, last });
  await remind(1);
  await remind(1);
  const reminders = async () => (await mailsAbout(api.runtime, payoutId)).filter(({ kind }) => kind === 'payout_reminder');
  expect(await reminders()).toMatchObject([{ to: await merchantEmailOf(merchantId), period: '1', waiting: true }]);
  expect((await reminders())[0]?.subject).toMatch(/^Not paid yet: 20\.00 USD to /);
  expect(await attentionOf(payoutId)).toEqual({ mails: [], events: [] });
  await remind(2);
  await Promise.all([remind(3, true), remind(3, true)]);
  const { mails, events } = await attentionOf(payoutId);
  expect(events).toMatchObject([{ data: { reviewReason: 'reminders_exhausted' } }]);
  expect(mails).toHaveLength(1);
  expect(await reminders()).toHaveLength(2);
});

it('FI4: no mail and no event is left of a review that was rolled back', async () => {
  const { payoutId } = await makeManualPayout(api);
  const ctx = testContext(api.runtime);
  const failing = { ...ctx, listeners: [...ctx.listeners, () => Promise.reject(new Error('crash'))] };
  await expect(remindPayout(failing, { payoutId, reminder: 3, last: true })).rejects.toThrow('crash');
  expect(await attentionOf(payoutId)).toEqual({ mails: [], events: [] });
  await remindPayout(ctx, { payoutId, reminder: 3, last: true });
  const { mails, events } = await attentionOf(payoutId);
  expect([mails.length, events.length]).toEqual([1, 1]);
});

it('IN11: money that came back is told as payout.failed and payout.returned, in this order', async () => {
  const { payoutId, act } = await makeManualPayout(api);
  await act('process');
  await act('complete', { bankReference: 'SCT 1' });
  expect((await act('return', { note: 'The account is closed' })).data.failureCode).toBe('returned');
  const [failed] = await eventsOf(payoutId, 'payout.failed');
  const [returned, ...more] = await eventsOf(payoutId, 'payout.returned');
  expect(more).toEqual([]);
  expect(returned?.body.data).toEqual(failed?.body.data);
  expect(Object.keys(returned?.body.data).sort()).toEqual(Object.keys(returnedPayoutExample).sort());
  expect(returned?.body.sequence).toBe(failed?.body.sequence + 1);
});
