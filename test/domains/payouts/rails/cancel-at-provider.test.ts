import { type Answer, unknownAnswer } from '../../../../src/domains/payouts/rails/answer.ts';
import type { OnlineRail } from '../../../../src/domains/payouts/rails/rail.ts';
import type { Rails } from '../../../../src/domains/payouts/rails/rails.ts';
import { cancelPayout } from '../../../../src/domains/payouts/use-cases/cancel-payout.ts';
import type { Context } from '../../../../src/platform/context.ts';
import { type RailPayout, useRailApi } from '../../../support/rail-payouts.ts';
import { useFakeRail } from '../../../support/rails/fake-payouts.ts';

const api = useRailApi({ asOwner: true });
const fake = useFakeRail(api);

const ctx = (): Context => api.runtime.context({ kind: 'system', name: 'test' });
const cancel = ({ payoutId }: RailPayout) => cancelPayout(ctx(), { id: payoutId });

/** Rails whose provider answers a cancellation like this. */
const cancelling = (
  answer: (...given: [...Parameters<NonNullable<OnlineRail['cancel']>>, OnlineRail]) => Promise<Answer>,
): Rails => ({
  ...api.runtime.rails,
  open(account) {
    const rail = api.runtime.rails.open(account);
    return { ...rail, cancel: (attempt) => answer(attempt, rail) };
  },
});

const unclaimed = async (): Promise<RailPayout> => {
  const payout = await (await fake.merchant()).sent('unclaimed');
  fake.provider.move(payout.payoutId, 'UNCLAIMED');
  await payout.lookUp();
  return payout;
};
const typesOf = async (payout: RailPayout) => (await payout.timeline()).map(({ type }) => type);

test('a payment that waits for its payee is cancelled by the provider, and by nobody else', async () => {
  const payout = await unclaimed();
  expect(await payout.load()).toMatchObject({ atProvider: { state: 'UNCLAIMED', isCancelRequested: false } });
  expect(await cancel(payout)).toMatchObject({ status: 'processing' });
  expect(await payout.load()).toMatchObject({ lookUpRequested: true, atProvider: { isCancelRequested: true } });
  expect(await payout.lookUp()).toMatchObject({ status: 'failed', failureCode: 'cancelled' });
  expect(await typesOf(payout)).toEqual(expect.arrayContaining(['cancellation_requested', 'cancelled']));
});

test('asked twice, the provider is asked once', async () => {
  const payout = await unclaimed();
  expect((await Promise.all([cancel(payout), cancel(payout)])).map(({ status }) => status)).toEqual(['processing', 'processing']);
  await payout.lookUp();
  expect((await typesOf(payout)).filter((type) => type === 'cancellation_requested')).toHaveLength(1);
});

test('a crash after the call: the next look-up finds what the provider did', async () => {
  const payout = await unclaimed();
  await cancel(payout);
  const lost = cancelling(async ({ idempotencyKey }) => {
    fake.provider.move(payout.payoutId, 'REFUSED', 'CANCELLED');
    throw new Error(`the process dies after the call for ${idempotencyKey}`);
  });
  await expect(payout.lookUp(ctx(), lost)).rejects.toThrow('the process dies');
  expect(await payout.load()).toMatchObject({ status: 'processing' });
  expect(await payout.lookUp()).toMatchObject({ status: 'failed', failureCode: 'cancelled' });
});

test('an unclear answer decides nothing: the provider is asked again', async () => {
  const payout = await unclaimed();
  await cancel(payout);
  const lost = cancelling(async (): Promise<Answer> => unknownAnswer('timeout', { request: {}, response: {} }));
  expect(await payout.lookUp(ctx(), lost)).toMatchObject({ status: 'processing', attemptOutcome: 'accepted' });
  expect(await payout.load()).toMatchObject({ atProvider: { isCancelRequested: true } });
  expect(await payout.lookUp()).toMatchObject({ status: 'failed', failureCode: 'cancelled' });
});

test('a provider that refuses changes nothing, and may be asked again', async () => {
  const payout = await unclaimed();
  await cancel(payout);
  const refusing = cancelling(async (attempt, rail) => {
    const found = await rail.lookUp(attempt);
    if (found.outcome === 'never_received') throw new Error('the provider has it');
    return found;
  });
  expect(await payout.lookUp(ctx(), refusing)).toMatchObject({ status: 'processing', attemptOutcome: 'accepted' });
  expect(await typesOf(payout)).toContain('cancellation_refused');
  expect(await payout.load()).toMatchObject({ atProvider: { isCancelRequested: false } });
  expect(await payout.lookUp()).toMatchObject({ status: 'processing' });
  await cancel(payout);
  expect(await payout.lookUp()).toMatchObject({ failureCode: 'cancelled' });
});

test('what was claimed meanwhile is paid', async () => {
  const payout = await unclaimed();
  await cancel(payout);
  fake.provider.move(payout.payoutId, 'DONE');
  expect(await payout.lookUp()).toMatchObject({ status: 'completed' });
});

test('a payment that does not wait for its payee cannot be cancelled', async () => {
  const waiting = await (await fake.merchant()).sent('waiting');
  await expect(cancel(waiting)).rejects.toMatchObject({ details: { reason: 'ATTEMPT_STARTED' } });
});
