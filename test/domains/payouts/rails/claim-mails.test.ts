import { receiveAccountNotification } from '../../../../src/domains/payouts/use-cases/receive-account-notification.ts';
import { DAY_MS } from '../../../../src/platform/clock.ts';
import type { Context } from '../../../../src/platform/context.ts';
import { type RailPayout, rowsOf, useRailApi } from '../../../support/rail-payouts.ts';
import { FAKE_ACCOUNT } from '../../../support/rails/fake-account-rail.ts';
import { useFakeRail } from '../../../support/rails/fake-payouts.ts';
import { emailOf, mailsAbout } from '../../notifications/support.ts';

const api = useRailApi({ asOwner: true });
const fake = useFakeRail(api);

/** A context after so much time. */
const after = (ms: number): Context => {
  const base = api.runtime.context({ kind: 'system', name: 'test' });
  const at = Date.now() + ms;
  return { ...base, clock: { now: () => new Date(at) } };
};
const mailsOf = async ({ payoutId }: RailPayout) =>
  (await mailsAbout(api.runtime, payoutId)).filter(({ kind }) => kind === 'payout_to_claim');
const isTold = async (payout: RailPayout) => (await mailsOf(payout)).length;

test('whoever has to claim a payment is told once, and once more in the last week', async () => {
  const payout = await (await fake.merchant()).sent('unclaimed');
  await payout.lookUp();
  await payout.lookUp(after(DAY_MS));
  const [mail, ...others] = await mailsOf(payout);
  expect(others).toEqual([]);
  expect(mail).toMatchObject({
    to: await emailOf(api.runtime, payout.profileId),
    subject: expect.stringMatching(/^Claim your /),
    waiting: true,
  });
  await payout.lookUp(after(22 * DAY_MS));
  expect(await isTold(payout)).toBe(1);
  await payout.lookUp(after(23 * DAY_MS + 1));
  await payout.lookUp(after(24 * DAY_MS));
  const [, reminder, ...more] = await mailsOf(payout);
  expect(more).toEqual([]);
  expect(reminder?.subject).toContain('still wait at');
});

test('a notice tells it too, and both together once', async () => {
  const merchant = await fake.merchant();
  const payout = await merchant.sent('waiting');
  expect(await isTold(payout)).toBe(0);
  const { headers, rawBody } = fake.provider.move(payout.payoutId, 'UNCLAIMED');
  const input = { rail: FAKE_ACCOUNT, merchantId: merchant.merchantId, isSuspect: false, admit: async () => {} };
  const hear = () =>
    receiveAccountNotification(after(0), api.runtime.rails, { ...input, headers: headers as Record<string, string>, rawBody });
  await hear();
  await hear();
  await payout.lookUp();
  expect(await isTold(payout)).toBe(1);
});

test('nobody is told of what is paid, came back, or is to be cancelled', async () => {
  const payout = await (await fake.merchant()).sent('unclaimed');
  await payout.lookUp();
  await rowsOf(api, 'update payout_attempt set cancel_requested_at = now() where payout_id = ?', [payout.payoutId]);
  fake.provider.move(payout.payoutId, 'REFUSED', 'CANCELLED');
  await payout.lookUp(after(25 * DAY_MS));
  const paid = await (await fake.merchant()).sent('waiting');
  fake.provider.move(paid.payoutId, 'DONE');
  await paid.lookUp();
  expect([await isTold(payout), await isTold(paid)]).toEqual([1, 0]);
});
