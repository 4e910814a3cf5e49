import { PAYOUT_LIMITS } from '../../../src/contracts/payouts.ts';
import { createRails } from '../../../src/domains/payouts/rails/rails.ts';
import type { Context } from '../../../src/platform/context.ts';
import { NEVER_RECEIVED, providerError } from '../../support/provider.ts';
import { payByRail, rowsOf, transferOf, useRailApi } from '../../support/rail-payouts.ts';

const api = useRailApi();
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

beforeEach(() => {
  api.provider.orders.length = 0;
  api.provider.onSubmit(() => providerError(500, 'internal_error'));
  api.provider.onLookUp(() => NEVER_RECEIVED);
  api.runtime.settings.payoutLimits = PAYOUT_LIMITS;
});

/** A context whose clock the test moves. */
const clockedContext = () => {
  let at = Date.now();
  const base = api.runtime.context({ kind: 'system', name: 'test' });
  const ctx = (): Context => ({
    ...api.runtime.context({ kind: 'system', name: 'test' }),
    em: base.em.fork() as Context['em'],
    clock,
  });
  const clock = { now: () => new Date(at) };
  return { ctx, pass: (ms: number) => (at += ms) };
};

it('W6: five resends at least 5 s, 1 min, 10 min, 1 h and 6 h apart, look-ups in between, then a person decides', async () => {
  const { send, lookUp, attempt } = await payByRail(api);
  const { ctx, pass } = clockedContext();
  await send(ctx());
  for (const pauseMs of [5_000, MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS]) {
    const { sendCount, resendAt } = await lookUp(ctx());
    expect(resendAt).toBe(new Date(ctx().clock.now().getTime() + pauseMs).toISOString());
    pass(pauseMs - 1);
    expect(await lookUp(ctx())).toMatchObject({ sendCount, needsAttention: false });
    pass(1);
    expect(await lookUp(ctx())).toMatchObject({ sendCount: sendCount + 1, needsAttention: false });
  }
  expect(await lookUp(ctx())).toMatchObject({ sendCount: 6, resendAt: null, needsAttention: false });
  pass(20_000);
  expect(await lookUp(ctx())).toMatchObject({ sendCount: 6, needsAttention: true, reviewReason: 'resends_exhausted' });
  expect(new Set(api.provider.orders.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  expect(await attempt()).toMatchObject({ send_count: 6, resend_count: 5 });
});

it('W6: no resend outside 0.8 of the time for which the provider remembers the key', async () => {
  const { send, lookUp } = await payByRail(api);
  const { ctx, pass } = clockedContext();
  await send(ctx());
  pass(0.8 * 24 * HOUR_MS);
  expect(await lookUp(ctx())).toMatchObject({ sendCount: 1, needsAttention: true, reviewReason: 'repeat_window_over' });
});

it('W6: that time begins with the first send, not with the last one', async () => {
  api.runtime.settings.payoutLimits = { ...PAYOUT_LIMITS, resendPausesMs: [10 * HOUR_MS, 10 * HOUR_MS] };
  const { send, lookUp } = await payByRail(api);
  const { ctx, pass } = clockedContext();
  await send(ctx());
  pass(10 * HOUR_MS);
  expect(await lookUp(ctx())).toMatchObject({ sendCount: 2, needsAttention: false });
  pass(10 * HOUR_MS);
  expect(await lookUp(ctx())).toMatchObject({ sendCount: 2, needsAttention: true, reviewReason: 'repeat_window_over' });
});

it.each([
  [429, 'rate_limited'],
  [503, 'order_not_taken'],
])('T4: %i %s uses up no resend, and the pauses double up to 10 minutes', async (status, code) => {
  api.provider.onSubmit(() => providerError(status, code));
  const { send, lookUp, attempt } = await payByRail(api);
  const { ctx, pass } = clockedContext();
  await send(ctx());
  for (const [at, seconds] of [5, 10, 20, 40, 80, 160, 320, 600, 600].entries()) {
    pass(seconds * 1_000 - 1);
    expect(await lookUp(ctx())).toMatchObject({ needsAttention: false, sendCount: at + 1 });
    pass(1);
    expect(await lookUp(ctx())).toMatchObject({ needsAttention: false, sendCount: at + 2 });
  }
  expect(await attempt()).toMatchObject({ resend_count: 0 });
  pass(10 * MINUTE_MS);
  api.provider.onSubmit((order) => transferOf(order, 'accepted'));
  expect(await lookUp(ctx())).toMatchObject({ attemptOutcome: 'accepted', resendAt: null });
});

it.each([
  ['longer than its pause', '120', 120],
  ['longer than the longest pause', '3600', 600],
  ['shorter than its pause', '1', 5],
])('a provider asks to wait %s', async (_than, retryAfter, seconds) => {
  api.provider.onSubmit(() => ({ ...providerError(429, 'rate_limited'), headers: { 'retry-after': retryAfter } }));
  const { send, lookUp, attempt } = await payByRail(api);
  const { ctx, pass } = clockedContext();
  await send(ctx());
  pass(seconds * 1_000 - 1);
  expect(await lookUp(ctx())).toMatchObject({ sendCount: 1 });
  pass(1);
  expect(await lookUp(ctx())).toMatchObject({ sendCount: 2 });
  expect(await attempt()).toMatchObject({ resend_count: 0 });
});

it('W11: nothing is sent while a person decides', async () => {
  const { send, lookUp, payoutId } = await payByRail(api);
  await send();
  await rowsOf(api, `update payout set needs_attention = true, review_reason = 'status_unknown' where id = ?`, [payoutId]);
  await rowsOf(api, `update payout_attempt set resend_at = now() - interval '1 minute' where payout_id = ?`, [payoutId]);
  expect(await lookUp()).toMatchObject({ sendCount: 1 });
  expect(api.provider.orders).toHaveLength(1);
});

it('W11: a process that was suspended between marking and sending does not send; a look-up follows', async () => {
  const { send, lookUp, timeline, attempt } = await payByRail(api);
  const { ctx, pass } = clockedContext();
  const suspended = ctx();
  const { cipher } = suspended;
  // Decrypting the payout details is the last step before the send.
  const decrypt: typeof cipher.decrypt = (...args) => {
    pass(HOUR_MS);
    return cipher.decrypt(...args);
  };
  suspended.cipher = { ...cipher, decrypt };
  expect(await send(suspended)).toMatchObject({ attemptOutcome: 'unknown', sendCount: 1 });
  expect(api.provider.orders).toEqual([]);
  expect((await timeline()).at(-1)).toMatchObject({ type: 'send_dropped' });
  pass(5_000);
  expect(await lookUp(ctx())).toMatchObject({ sendCount: 2 });
  expect(api.provider.orders).toHaveLength(1);
  expect(await attempt()).toMatchObject({ resend_count: 1 });
});

it('W4: a worker without the rail changes nothing, and its error names the rail', async () => {
  const { send, lookUp, read, attempt } = await payByRail(api);
  const without = createRails({}, api.runtime.clock);
  const missing = expect.objectContaining({
    code: 'INTERNAL_ERROR',
    message: 'The sandbox rail is not configured in this process',
  });
  await expect(send(undefined, without)).rejects.toThrow(missing);
  expect(await read()).toMatchObject({ status: 'pending' });
  expect(await attempt()).toEqual({});
  await send();
  await expect(lookUp(undefined, without)).rejects.toThrow(missing);
});
