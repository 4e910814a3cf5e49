import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { NEVER_RECEIVED, providerError } from '../../support/provider.ts';
import { payByRail, type RailPayout, rowsOf, transferOf, useRailApi } from '../../support/rail-payouts.ts';

const api = useRailApi();
const NOTE = { note: 'The provider told us' };

beforeEach(() => {
  api.provider.onSubmit(() => providerError(500, 'internal_error'));
  api.provider.onLookUp(() => NEVER_RECEIVED);
});

afterEach(async () => {
  expect(await verifyLedger(api.runtime.context({ kind: 'system', name: 'test' }))).toEqual([]);
});

/** A payout whose automatic resends are over. */
const inReview = async (): Promise<RailPayout> => {
  const payout = await payByRail(api);
  api.provider.onLookUp(() => NEVER_RECEIVED);
  await payout.send();
  await rowsOf(api, `update payout_attempt set resend_at = null, last_sent_at = now() - interval '1 hour' where payout_id = ?`, [
    payout.payoutId,
  ]);
  expect(await payout.lookUp()).toMatchObject({ needsAttention: true, reviewReason: 'resends_exhausted', resendAt: null });
  return payout;
};

const age = (column: string, payoutId: string, hours: number) =>
  rowsOf(api, `update payout_attempt set ${column} = now() - make_interval(hours => ?) where payout_id = ?`, [hours, payoutId]);

it('W1: accepted ends an open review, and the payout cannot be failed while the provider has the order', async () => {
  const { notify, act, read, timeline, report } = await inReview();
  expect((await notify('accepted')).data.outcome).toBe('recorded');
  expect(await read()).toMatchObject({ status: 'processing', needsAttention: false, reviewReason: null });
  const refused = await act('fail', NOTE);
  expect([refused.status, refused.error.details]).toEqual([409, { reason: 'RAIL_ACCEPTED', rail: 'sandbox' }]);
  expect((await act('complete', NOTE)).error.details.reason).toBe('RAIL_NOT_MANUAL');
  expect((await timeline()).map(({ type }) => type).slice(-2)).toEqual(['rail_accepted', 'manual_review_ended']);
  await report('paid');
  expect(await read()).toMatchObject({ status: 'completed', needsAttention: false });
  expect((await act('complete', NOTE)).error).toMatchObject({
    message: 'The provider has settled this payout: it is completed',
    details: { reason: 'RAIL_NOT_MANUAL' },
  });
});

it('W1: a look-up that finds the order accepted or paid ends the review too', async () => {
  const accepted = await inReview();
  api.provider.onLookUp(() => transferOf(accepted.order, 'accepted'));
  expect(await accepted.lookUp()).toMatchObject({ needsAttention: false, attemptOutcome: 'accepted' });
  expect((await accepted.act('fail', NOTE)).error.details.reason).toBe('RAIL_ACCEPTED');
  const paid = await inReview();
  api.provider.onLookUp(() => transferOf(paid.order, 'paid'));
  expect(await paid.lookUp()).toMatchObject({ status: 'completed', needsAttention: false, reviewReason: null });
});

it('W1: a review for another reason does not let a person fail what the provider accepted', async () => {
  const { send, lookUp, act, order } = await payByRail(api);
  api.provider.onSubmit((sent) => transferOf(sent, 'accepted'));
  await send();
  api.provider.onLookUp(() => transferOf({ ...order, amount: 1 }, 'accepted'));
  expect(await lookUp()).toMatchObject({ needsAttention: true, reviewReason: 'record_mismatch' });
  expect((await act('fail', NOTE)).error.details.reason).toBe('RAIL_ACCEPTED');
  expect((await act('complete', NOTE)).data.status).toBe('completed');
});

it('W1: after the silence of a provider that accepted, a person may fail the payout; a later "paid" is a contradiction', async () => {
  const { payoutId, send, lookUp, act, read, notify, order } = await payByRail(api);
  api.provider.onSubmit((sent) => transferOf(sent, 'accepted'));
  await send();
  api.provider.onLookUp(() => transferOf(order, 'accepted'));
  expect(await lookUp()).toMatchObject({ needsAttention: false });
  await age('accepted_at', payoutId, 73);
  expect(await lookUp()).toMatchObject({ needsAttention: true, reviewReason: 'accepted_too_long' });
  expect((await act('fail', NOTE)).data).toMatchObject({ status: 'failed', failureCode: 'marked_failed' });
  await notify('accepted');
  expect(await read()).toMatchObject({ needsAttention: false });
  await notify('paid');
  expect(await read()).toMatchObject({ status: 'failed', needsAttention: true, reviewReason: 'contradiction' });
});

it('W5: 24 hours without an outcome ask a person, also when every look-up fails', async () => {
  const { payoutId, send, lookUp, timeline } = await payByRail(api);
  await send();
  api.provider.onLookUp(() => providerError(401, 'unauthorized'));
  expect(await lookUp()).toMatchObject({ needsAttention: false, attemptOutcome: 'unknown' });
  await age('first_sent_at', payoutId, 24);
  expect(await lookUp()).toMatchObject({ needsAttention: true, reviewReason: 'unknown_too_long' });
  expect((await timeline()).at(-1)).toMatchObject({ type: 'manual_review_requested', reason: 'unknown_too_long' });
});

it.each([
  ['amount', { amount: 1999 }],
  ['currency', { currency: 'eur' }],
  ['reference', { reference: 'another-payout' }],
])('W10: a look-up that finds another %s completes nothing and asks a person', async (_field, difference) => {
  const { send, lookUp, read, order } = await payByRail(api);
  await send();
  api.provider.onLookUp(() => transferOf(order, 'paid', difference));
  expect(await lookUp()).toMatchObject({ status: 'processing', needsAttention: true, reviewReason: 'record_mismatch' });
  expect(await read()).toMatchObject({ completedAt: null });
});

it('FI6: the page has the last word of the provider, whether it finds no order or another one, and a notification adds to it', async () => {
  const { send, lookUp, notify, load, order, payoutId } = await payByRail(api);
  await send();
  expect((await load()).page?.provider).toBeNull();
  expect((await lookUp()).page?.provider).toMatchObject({ status: 'never_received', at: expect.any(String) });
  api.provider.onLookUp(() => transferOf({ ...order, amount: 1999 }, 'paid'));
  const record = { status: 'paid', id: 'trf_1', reference: payoutId, amountMinor: 1999, currency: 'usd' };
  expect((await lookUp()).page?.provider).toMatchObject(record);
  await notify('accepted');
  expect((await load()).page).toMatchObject({ provider: record, lookUps: { count: 2 } });
  await notify('paid');
  expect((await load()).page?.provider).toMatchObject({ ...record, amountMinor: 2000 });
});

it('FI10: the page says that a key acted, without names and notes of people', async () => {
  const { act, load, keyId, profileId } = await inReview();
  await rowsOf(api, `update affiliate_profile set name = 'Ada Lovelace' where id = ?`, [profileId]);
  await rowsOf(api, `update api_key set name = 'Finance ada@shop.example' where id = ?`, [keyId]);
  await act('complete', { note: `Lovelace (ada@shop.example, DE89 3704 0044 0532 0130 00) confirmed: ${'x'.repeat(300)}` });
  const { timeline = [] } = (await load()).page ?? {};
  expect(timeline.length).toBeLessThanOrEqual(5);
  expect(timeline.at(-1)).toMatchObject({ type: 'marked_paid', actor: 'api_key' });
  expect(JSON.stringify(timeline)).not.toMatch(/Finance|Lovelace|shop|3704|0130|confirmed/);
});
