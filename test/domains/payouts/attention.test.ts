import { writeWaitingPayoutMails, writeWeeklyDigests } from '../../../src/domains/notifications/index.ts';
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
  expect(mails[0]?.subject).toMatch(/^A payout needs your decision: 20\.00 USD to /);
  expect(mails[0]?.text).toContain(`/console/payouts/${payoutId}`);
  expect(events).toMatchObject([{ merchantId, data: { id: payoutId, needsAttention: true, reviewReason: 'resends_exhausted' } }]);
  expect(await read()).toMatchObject(events[0]?.data ?? {});
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
  expect(first.mails[0]?.text).toContain(`/console/payouts/${payoutId}`);
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

it('FI4: each morning of local time, one mail lists what waits for a person, until somebody decides', async () => {
  const [first, second] = [await inReview(), await inReview()];
  const quiet = await payByRail(api);
  await api.call('PATCH', '/merchant', { key: first.key, body: { timezone: 'Pacific/Auckland' } });
  const writeAt = async (time: string): Promise<void> => {
    const ctx = { ...testContext(api.runtime), clock: { now: () => new Date(time) } };
    let after: string | null = null;
    do after = (await writeWaitingPayoutMails(ctx, { after, limit: 2 })).after;
    while (after !== null);
  };
  const periodsOf = async ({ merchantId }: { merchantId: string }) =>
    (await mailsAbout(api.runtime, merchantId)).filter(({ kind }) => kind === 'payouts_waiting').map(({ period }) => period);
  const since = (payoutId: string, time: string) =>
    rowsOf(api, 'update payout set attention_since = ? where id = ?', [time, payoutId]);
  await since(first.payoutId, '2031-06-10T12:00:00Z');
  await since(second.payoutId, '2031-06-11T07:30:00Z');
  await writeAt('2031-06-10T19:59:00Z');
  expect([await periodsOf(first), await periodsOf(second)]).toEqual([[], []]);
  // 08:00 of the 11th in Auckland.
  await writeAt('2031-06-10T20:00:00Z');
  await Promise.all([writeAt('2031-06-10T20:15:00Z'), writeAt('2031-06-10T20:15:00Z')]);
  expect(await periodsOf(first)).toEqual(['2031-06-11']);
  // It began to wait half an hour before, and was mailed then.
  await writeAt('2031-06-11T08:00:00Z');
  expect(await periodsOf(second)).toEqual([]);
  await writeAt('2031-06-12T08:00:00Z');
  expect([await periodsOf(first), await periodsOf(second)]).toEqual([['2031-06-11', '2031-06-12'], ['2031-06-12']]);
  const [mail] = await mailsAbout(api.runtime, second.merchantId);
  expect(mail).toMatchObject({ to: await merchantEmailOf(second.merchantId), waiting: true });
  expect(mail?.subject).toMatch(/: 1 payout needs your decision$/);
  expect(mail?.text).toMatch(/20\.00 USD/);
  expect(mail?.text).not.toContain(second.payoutId);
  expect((await second.act('fail', { note: 'The provider has no record' })).status).toBe(200);
  await writeAt('2031-06-13T08:00:00Z');
  expect(await periodsOf(second)).toEqual(['2031-06-12']);
  expect(await periodsOf(quiet)).toEqual([]);
});

it('FI4: the weekly digest counts what waits for a person', async () => {
  const { merchantId, key } = await inReview();
  await api.call('PUT', '/merchant/notifications', { key, body: { weeklyDigest: true } });
  const ctx = { ...testContext(api.runtime), clock: { now: () => new Date('2031-06-09T09:00:00Z') } };
  let after: string | null = null;
  do after = (await writeWeeklyDigests(ctx, { after, limit: 50 })).after;
  while (after !== null);
  const [digest] = (await mailsAbout(api.runtime, merchantId)).filter(({ kind }) => kind === 'weekly_digest');
  expect(digest?.text).toContain('["Payouts that need a decision","1"]');
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
