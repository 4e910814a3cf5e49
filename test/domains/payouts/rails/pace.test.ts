import type { PayoutSnapshot } from '../../../../src/contracts/workflows/payouts.ts';
import { MINUTE_MS, SECOND_MS } from '../../../../src/platform/clock.ts';
import type { Context } from '../../../../src/platform/context.ts';
import { rowsOf, useRailApi } from '../../../support/rail-payouts.ts';
import { FAKE_ACCOUNT } from '../../../support/rails/fake-account-rail.ts';
import { useFakeRail } from '../../../support/rails/fake-payouts.ts';

const PER_MINUTE = 20;
const BURST = 2;

const api = useRailApi({ asOwner: true });
const fake = useFakeRail(api, { perMinute: PER_MINUTE });

const at = (time: number): Context => ({
  ...api.runtime.context({ kind: 'system', name: 'test' }),
  clock: { now: () => new Date(time) },
});
const isWaiting = ({ status, lookUpAfterMs }: PayoutSnapshot) => status === 'pending' && lookUpAfterMs !== undefined;

test('over the pace nothing is sent and nothing fails: it waits, and says for how long', async () => {
  const merchant = await fake.merchant();
  const payouts = await Promise.all(Array.from({ length: 5 }, () => merchant.pay()));
  const now = Date.now();
  const sent = await Promise.all(payouts.map((payout) => payout.send(at(now))));
  expect(sent.filter(({ status }) => status === 'processing')).toHaveLength(BURST);
  const waiting = sent.filter((snapshot) => isWaiting(snapshot));
  expect(waiting).toHaveLength(3);
  for (const { lookUpAfterMs = 0 } of waiting) expect(lookUpAfterMs * 0.8).toBeLessThanOrEqual(3_334 + 20 * SECOND_MS + 1);
  for (const { attempts, needsAttention, failureCode } of waiting)
    expect([attempts, needsAttention, failureCode]).toEqual([0, false, null]);
  // Each comes again until all are sent, one in each interval.
  const again = async (time: number) =>
    (await Promise.all(payouts.map((payout) => payout.send(at(time))))).filter(({ status }) => status === 'pending').length;
  const left: number[] = [];
  for (let step = 1; step <= 3; step++) left.push(await again(now + step * 3_334));
  expect(left).toEqual([2, 1, 0]);
  expect(fake.provider.orders.filter(({ clientId }) => clientId === merchant.client)).toHaveLength(5);
});

test('look-ups are not counted, and accounts wait for nobody else', async () => {
  const [busy, quiet] = [await fake.merchant(), await fake.merchant()];
  const now = Date.now();
  const [one, two, three] = [await busy.pay('waiting'), await busy.pay('waiting'), await busy.pay()];
  await one.send(at(now));
  await two.send(at(now));
  for (let look = 0; look < 5; look++) expect(await one.lookUp(at(now))).toMatchObject({ attemptOutcome: 'accepted' });
  expect(isWaiting(await three.send(at(now)))).toBe(true);
  expect(await (await quiet.pay()).send(at(now))).toMatchObject({ status: 'processing' });
});

test('orders that are sent again are counted, and wait as well', async () => {
  const merchant = await fake.merchant();
  const lost = await merchant.sent();
  // As if it had never arrived.
  const key = `payout-${lost.payoutId}-1`;
  fake.provider.payments.splice(
    fake.provider.payments.findIndex((payment) => payment.key === key),
    1,
  );
  await rowsOf(api, `update payout_attempt set outcome = 'unknown', accepted_at = null, resend_at = now() where payout_id = ?`, [
    lost.payoutId,
  ]);
  const now = Date.now() + SECOND_MS;
  await rowsOf(api, 'update rail_account set paced_at = ? where merchant_id = ? and rail = ?', [
    new Date(now + MINUTE_MS),
    merchant.merchantId,
    FAKE_ACCOUNT,
  ]);
  const waiting = await lost.lookUp(at(now));
  expect(waiting).toMatchObject({ status: 'processing', attemptOutcome: 'unknown', sendCount: 1 });
  expect(waiting.lookUpAfterMs).toBeGreaterThan(MINUTE_MS - 4 * SECOND_MS);
  expect(await lost.lookUp(at(now + 2 * MINUTE_MS))).toMatchObject({ sendCount: 2, attemptOutcome: 'accepted' });
});

test('a held account is tried at the time of its probe: whoever waits comes then', async () => {
  const merchant = await fake.merchant();
  fake.provider.refuse(merchant.client, 'NO_FUNDS');
  const now = Date.now();
  await (await merchant.pay()).send(at(now));
  const waiting = await merchant.pay();
  const { lookUpAfterMs = 0 } = await waiting.send(at(now));
  expect(Math.round(lookUpAfterMs * 0.8)).toBe(15 * MINUTE_MS);
  fake.provider.refuse(merchant.client, null);
  expect(await waiting.send(at(now + 15 * MINUTE_MS))).toMatchObject({ status: 'processing', attemptOutcome: 'accepted' });
});
