import { unknownAnswer } from '../../../../src/domains/payouts/rails/answer.ts';
import { createPayPalRail } from '../../../../src/domains/payouts/rails/paypal/paypal.ts';
import { storeRailAccount } from '../../../../src/domains/payouts/rails/rail-accounts.steps.ts';
import type { Rails } from '../../../../src/domains/payouts/rails/rails.ts';
import { bookCorrection } from '../../../../src/domains/payouts/use-cases/book-correction.ts';
import { checkReturn } from '../../../../src/domains/payouts/use-cases/check-return.ts';
import { receiveAccountNotification } from '../../../../src/domains/payouts/use-cases/receive-account-notification.ts';
import type { Context } from '../../../../src/platform/context.ts';
import { makeMerchant } from '../../../support/factories.ts';
import { payByRail, type RailPayout, rowsOf, useRailApi } from '../../../support/rail-payouts.ts';
import { type NoticeReceiver, startNoticeReceiver } from '../../../support/rails/notice-receiver.ts';
import { type PayPalDouble, startPayPalDouble } from '../../../support/rails/paypal-double.ts';
import { until } from '../../../support/until.ts';

const api = useRailApi({ asOwner: true });
let double: PayPalDouble;
let receiver: NoticeReceiver;
let clients = 0;

beforeAll(async () => {
  [double, receiver] = await Promise.all([startPayPalDouble(), startNoticeReceiver()]);
});
afterAll(async () => {
  await Promise.all([double.stop(), receiver.close()]);
});

const ctx = (): Context => api.runtime.context({ kind: 'system', name: 'test' });

/** Rails of the product, with the double in place of PayPal. With `loses`, answers to new batches never arrive. */
const railsOf = ({ loses = false } = {}): Rails => ({
  ...api.runtime.rails,
  open({ account }) {
    const given = account as ReturnType<PayPalDouble['accountOf']>;
    const { clock } = api.runtime;
    const rail = createPayPalRail({ account: given, clock, noticeUrl: receiver.url, providerUrl: double.url });
    if (!loses) return rail;
    const lost = unknownAnswer('connection_lost', { request: {}, response: {} });
    return { ...rail, submit: async (order) => rail.submit(order).then(() => lost) };
  },
});

const start = async (balance: string) => {
  const merchant = await makeMerchant(api.runtime);
  const { merchantId } = merchant;
  const client = `client-of-payouts-${++clients}`;
  await double.changeAccount(client, { balances: { USD: balance } });
  const account = double.accountOf(client);
  const probe = createPayPalRail({ account, clock: api.runtime.clock, noticeUrl: receiver.url, providerUrl: double.url });
  const learned = (await probe.check())?.learned;
  await probe.close();
  await storeRailAccount(ctx(), { merchantId, rail: 'paypal', account: { ...account, ...learned } });
  const pay = async (local?: string): Promise<RailPayout> => {
    const payout = await payByRail(api, { merchant, amount: 6_000, ...(local === undefined ? {} : { local }) });
    await rowsOf(api, `update payout set rail = 'paypal' where id = ?`, [payout.payoutId]);
    return payout;
  };
  const held = async () =>
    (await rowsOf(api, 'select held_code from rail_account where merchant_id = ?', [merchantId]))[0]?.['held_code'];
  const ended = (payout: RailPayout) =>
    until(
      'PayPal has decided',
      async () => (await double.items({ reference: payout.payoutId }))[0]?.transaction_status,
      (state) => state === 'SUCCESS' || state === 'FAILED',
    );
  /** Each notice about it, in the order of arrival. */
  const hear = async ({ payoutId }: RailPayout) => {
    const about = await until(
      'PayPal has told of it',
      () => receiver.received.filter(({ rawBody }) => String(rawBody).includes(payoutId)),
      ({ length }) => length >= 3,
    );
    const input = { rail: 'paypal', merchantId, isSuspect: false, admit: async () => {} };
    for (const { headers, rawBody } of about)
      await receiveAccountNotification(ctx(), railsOf(), {
        ...input,
        headers: { ...headers } as Record<string, string>,
        rawBody,
      });
  };
  return { client, merchantId, pay, held, ended, hear };
};

test('an order whose answer was lost is asked about by the ids of a notice, also while the account is held', async () => {
  const { pay, held, ended, hear, client } = await start('1000.00');
  const denied = await pay();
  const lost = await pay();
  await lost.send(ctx(), railsOf({ loses: true }));
  await ended(lost);
  await double.changeAccount(client, { balances: { USD: '1.00' } });
  await denied.send(ctx(), railsOf());
  await ended(denied);
  expect(await denied.lookUp(ctx(), railsOf())).toMatchObject({ status: 'failed', failureCode: 'account_refused' });
  expect(await held()).toBe('INSUFFICIENT_FUNDS');
  // Nobody can be asked about the lost one, and nothing is sent from a held account.
  expect(await lost.lookUp(ctx(), railsOf())).toMatchObject({ status: 'processing', attemptOutcome: 'unknown' });
  await hear(lost);
  await lost.lookUp(ctx(), railsOf());
  expect(await lost.load()).toMatchObject({ status: 'completed', sendCount: 1 });
  expect(await double.items({ account: client })).toHaveLength(2);
});

test('what became of an order before the account was mended says nothing about it now', async () => {
  const { pay, held, ended, client, merchantId } = await start('1.00');
  const payout = await pay();
  await payout.send(ctx(), railsOf({ loses: true }));
  expect(await ended(payout)).toBe('FAILED');
  await double.changeAccount(client, { balances: { USD: '1000.00' } });
  await rowsOf(api, 'update rail_account set updated_at = now() where merchant_id = ?', [merchantId]);
  // The same order again: PayPal answers with the batch that it denied.
  await rowsOf(api, `update payout_attempt set resend_at = now() where payout_id = ?`, [payout.payoutId]);
  await payout.lookUp(ctx(), railsOf());
  expect(await payout.load()).toMatchObject({ status: 'failed', sendCount: 2 });
  expect(await held()).toBeNull();
  expect(await double.items({ account: client })).toHaveLength(1);
});

test('an item that nobody claims is cancelled at PayPal, by the operation and the workflow', async () => {
  const { pay, hear } = await start('1000.00');
  const payout = await pay('unclaimed');
  await payout.send(ctx(), railsOf());
  await until(
    'PayPal waits for the payee',
    () => payout.lookUp(ctx(), railsOf()),
    ({ atProvider }) => atProvider?.state === 'UNCLAIMED',
  );
  const { situation, availableActions } = await payout.read();
  expect(situation).toMatchObject({ state: 'sending', reason: 'waiting_for_payee', waitsFor: 'payee' });
  expect(availableActions).toContainEqual({ action: 'cancel', refusedBecause: null });
  expect(await payout.act('cancel')).toMatchObject({ status: 200, data: { status: 'processing' } });
  expect((await payout.read()).situation).toMatchObject({ reason: 'cancel_requested', waitsFor: 'provider' });
  expect(await payout.lookUp(ctx(), railsOf())).toMatchObject({ status: 'failed', failureCode: 'cancelled' });
  expect((await double.items({ reference: payout.payoutId }))[0]?.transaction_status).toBe('RETURNED');
  await hear(payout);
  expect(await payout.load()).toMatchObject({ status: 'failed', failureCode: 'cancelled', needsAttention: false });
});

test('a payment that nobody claimed says so', async () => {
  const { pay } = await start('1000.00');
  const payout = await pay('returned');
  await payout.send(ctx(), railsOf());
  const looked = await until(
    'PayPal has returned it',
    () => payout.lookUp(ctx(), railsOf()),
    ({ status }) => status === 'failed',
  );
  expect(looked).toMatchObject({ failureCode: 'not_claimed' });
});

test('all ids of a payment are in its record, and each finds it', async () => {
  const { pay } = await start('1000.00');
  const payout = await pay();
  await payout.send(ctx(), railsOf());
  await until(
    'PayPal has paid',
    () => payout.lookUp(ctx(), railsOf()),
    ({ status }) => status === 'completed',
  );
  const { references, conversion } = await payout.read();
  expect(references).toMatchObject({ file: null, booking: null });
  expect(conversion).toBeNull();
  for (const kind of ['batch', 'item', 'transaction']) {
    const found = await api.call('GET', '/payouts', { key: payout.key, query: { q: references[kind] } });
    expect(found.data.map(({ id }: { id: string }) => id)).toEqual([payout.payoutId]);
  }
  await rowsOf(api, `update payout_attempt set conversion = '{"amountMinor":5100,"currency":"eur"}' where payout_id = ?`, [
    payout.payoutId,
  ]);
  expect((await payout.read()).conversion).toEqual({ currency: 'eur', amount: 5_100 });
});

test('money that PayPal refunds after the payment is asked about, and booked once PayPal confirms it', async () => {
  const { pay, hear } = await start('1000.00');
  const payout = await pay('refunded');
  await payout.send(ctx(), railsOf());
  await until(
    'PayPal has paid it',
    () => payout.lookUp(ctx(), railsOf()),
    ({ status }) => status === 'completed',
  );
  await until('PayPal tells of the refund', () =>
    receiver.received.some(
      ({ rawBody }) => String(rawBody).includes(payout.payoutId) && String(rawBody).includes('ITEM.REFUNDED'),
    ),
  );
  await hear(payout);
  const [correction] = await payout.corrections();
  expect(correction).toMatchObject({ cause: 'rail_return' });
  await checkReturn(ctx(), railsOf(), { payoutId: payout.payoutId, n: 1 });
  await bookCorrection(ctx(), { payoutId: payout.payoutId, n: 1 });
  expect(await payout.load()).toMatchObject({ status: 'failed', failureCode: 'returned' });
});
