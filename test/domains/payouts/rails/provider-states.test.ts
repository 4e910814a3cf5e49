import type { RailFacts } from '../../../../src/contracts/rails.ts';
import { failedAnswer, unknownAnswer } from '../../../../src/domains/payouts/rails/answer.ts';
import type { OnlineRail } from '../../../../src/domains/payouts/rails/rail.ts';
import type { Rails } from '../../../../src/domains/payouts/rails/rails.ts';
import { DAY_MS } from '../../../../src/platform/clock.ts';
import type { Context } from '../../../../src/platform/context.ts';
import { rowsOf, useRailApi } from '../../../support/rail-payouts.ts';
import { useFakeRail } from '../../../support/rails/fake-payouts.ts';

const api = useRailApi({ asOwner: true });
const fake = useFakeRail(api);

const later = (ms: number): Context => ({
  ...api.runtime.context({ kind: 'system', name: 'test' }),
  clock: { now: () => new Date(Date.now() + ms) },
});

/** The same rail with other facts or answers. */
const withRail = (facts: Partial<RailFacts>, more: Partial<OnlineRail> = {}): Rails => ({
  ...api.runtime.rails,
  open: (account) => {
    const rail = api.runtime.rails.open(account);
    return { ...rail, facts: { ...rail.facts, ...facts }, ...more };
  },
});

const EXCHANGE = { request: {}, response: {} };
const lost = { submit: async () => unknownAnswer('timeout', EXCHANGE) };

test('a state has a limit and pauses of its own, from when it began', async () => {
  const { sent } = await fake.merchant();
  const payout = await sent('unclaimed');
  expect(await payout.lookUp()).toMatchObject({ attemptOutcome: 'accepted', lookUpAfterMs: DAY_MS });
  expect(await payout.attempt()).toMatchObject({ rail_state: 'UNCLAIMED' });
  expect(await payout.lookUp(later(34 * DAY_MS))).toMatchObject({ needsAttention: false });
  expect(await payout.lookUp(later(36 * DAY_MS))).toMatchObject({ reviewReason: 'accepted_too_long' });
  const pending = await sent('waiting');
  expect(await pending.lookUp()).toMatchObject({ lookUpAfterMs: 60_000 });
  expect(await pending.lookUp(later(2 * DAY_MS))).toMatchObject({ reviewReason: 'accepted_too_long', lookUpAfterMs: 300_000 });
});

test('where nobody can be asked about an order, the same order is sent again under the same key, and the timeline says so', async () => {
  const { sent, client } = await fake.merchant();
  const payout = await sent('waiting');
  await rowsOf(
    api,
    `update payout_attempt set outcome = 'unknown', rail_reference = null, rail_references = null,
    accepted_at = null, resend_at = now() where payout_id = ?`,
    [payout.payoutId],
  );
  const notAsked = withRail(
    { isFoundByKey: false },
    { lookUp: async () => ({ outcome: 'never_received', isAsked: false, ...EXCHANGE }) },
  );
  expect(await payout.lookUp(later(60_000), notAsked)).toMatchObject({ attemptOutcome: 'accepted', sendCount: 2 });
  expect(fake.provider.payments.filter(({ reference }) => reference === payout.payoutId)).toHaveLength(1);
  expect(fake.provider.orders.filter((order) => order.clientId === client)).toHaveLength(2);
  const checks = await rowsOf(
    api,
    `select outcome, reason from payout_timeline where type = 'status_checked' and payout_id = ?`,
    [payout.payoutId],
  );
  expect(checks).toEqual([{ outcome: 'unknown', reason: 'cannot_be_asked' }]);
  expect((await payout.attempt()).provider_record).not.toMatchObject({ status: 'never_received' });
});

test('where nobody can be asked about an order, the refusal of a resend fails nothing', async () => {
  const { pay } = await fake.merchant();
  const payout = await pay('waiting');
  const facts = { isFoundByKey: false };
  const lookUp = async () => ({ outcome: 'never_received', isAsked: false, ...EXCHANGE }) as const;
  await payout.send(later(0), withRail(facts, lost));
  const refused = { lookUp, submit: async () => failedAnswer({ class: 'order', code: 'invalid' }, EXCHANGE) };
  expect(await payout.lookUp(later(60_000), withRail(facts, refused))).toMatchObject({
    ...{ status: 'processing', attemptOutcome: 'unknown', sendCount: 2 },
  });
});

test('where a resend does not help, an order that its provider does not have is not sent again, and a person decides after a day', async () => {
  const { pay } = await fake.merchant();
  const payout = await pay('waiting');
  const unhelpful = withRail({ resendHelps: false }, lost);
  expect(await payout.send(later(0), unhelpful)).toMatchObject({ attemptOutcome: 'unknown', sendCount: 1 });
  expect(await payout.lookUp(later(3_600_000), unhelpful)).toMatchObject({ sendCount: 1, needsAttention: false });
  expect(await payout.lookUp(later(DAY_MS + 1_000), unhelpful)).toMatchObject({ sendCount: 1, reviewReason: 'unknown_too_long' });
});

test('an order is sent again there when the process died before it heard anything', async () => {
  const { pay } = await fake.merchant();
  const payout = await pay('waiting');
  const died = withRail({ resendHelps: false }, { submit: () => Promise.reject(new Error('the process died')) });
  await expect(payout.send(later(0), died)).rejects.toThrow('the process died');
  expect(await payout.lookUp(later(60_000), withRail({ resendHelps: false }))).toMatchObject({
    attemptOutcome: 'accepted',
    sendCount: 2,
  });
});

test('an order that was certainly not taken is sent again there as well', async () => {
  const { pay } = await fake.merchant();
  const payout = await pay('waiting');
  const limited = { submit: async () => ({ ...unknownAnswer('http_429', EXCHANGE), notTaken: { retryAfterMs: 0 } }) };
  expect(await payout.send(later(0), withRail({ resendHelps: false }, limited))).toMatchObject({ attemptOutcome: 'unknown' });
  expect(await payout.lookUp(later(60_000), withRail({ resendHelps: false }))).toMatchObject({
    attemptOutcome: 'accepted',
    sendCount: 2,
  });
});
