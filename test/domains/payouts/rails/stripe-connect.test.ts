import type { Answer } from '../../../../src/domains/payouts/rails/answer.ts';
import type { ListedMovement, OnlineRail, TransferOrder } from '../../../../src/domains/payouts/rails/rail.ts';
import { type StripeAccount, stripeConnectRail } from '../../../../src/domains/payouts/rails/stripe_connect/stripe-connect.ts';
import { systemClock } from '../../../../src/platform/clock.ts';
import { sentOf } from '../../../support/rails/conformance.ts';
import { platformKey, type StripeConnectServer, startStripeConnect } from '../../../support/stripe/connect/connect-server.ts';
import { orderFor } from './support.ts';

let stripe: StripeConnectServer;
beforeAll(async () => {
  stripe = await startStripeConnect();
});
afterAll(() => stripe.close());

let platforms = 0;

/** A merchant of its own, with money and one payee. */
const connect = async (account: Partial<StripeAccount> = {}) => {
  platforms += 1;
  const secretKey = platformKey(`p${platforms}`);
  await stripe.setBalance(secretKey, 'eur', 1_000_000);
  const payee = await stripe.makePayee(secretKey);
  const tools = { noticeUrl: 'https://tributary.test/notices', providerUrl: stripe.url, clock: systemClock };
  const open = (more: Partial<StripeAccount> = {}): OnlineRail =>
    stripeConnectRail.open({ secretKey, ...account, ...more }, tools);
  const order = (): TransferOrder => {
    const made = orderFor('any');
    return { ...made, details: { ...made.details, connected: { rail: 'stripe_connect', account: payee } } };
  };
  const made = async ({ idempotencyKey }: TransferOrder) => (await stripe.executions(secretKey))[idempotencyKey] ?? 0;
  return { secretKey, payee, tools, open, rail: open(), order, made };
};

test('an order that was refused for want of money is paid once there is some, and once only', async () => {
  const { secretKey, rail, order, made } = await connect();
  await stripe.setBalance(secretKey, 'eur', 0);
  const one = order();
  const refusal = {
    outcome: 'unknown',
    problem: 'http_400',
    notTaken: {},
    fault: { class: 'account', code: 'balance_insufficient' },
  };
  expect(await rail.submit(one)).toMatchObject(refusal);
  // Stripe keeps the answer: the second send goes on under the next key, which is refused as well.
  expect(await rail.submit(one)).toMatchObject(refusal);
  expect(await rail.lookUp(sentOf(one))).toMatchObject({ outcome: 'never_received' });
  await stripe.setBalance(secretKey, 'eur', 1_000_000);
  expect(await Promise.all([rail.submit(one), rail.submit(one)])).toMatchObject([{ outcome: 'paid' }, { outcome: 'paid' }]);
  expect(await rail.submit(one)).toMatchObject({ outcome: 'paid' });
  expect(await made(one)).toBe(1);
  await rail.close();
});

test('an error that Stripe keeps for a key is never mended by sending again, and nothing is made under another key', async () => {
  const { rail, order, made } = await connect();
  await stripe.fail({ broken: 1 });
  const one = order();
  expect(await rail.submit(one)).toMatchObject({ outcome: 'unknown', problem: 'http_500' });
  const again = await rail.submit(one);
  expect(again).toMatchObject({ outcome: 'unknown', problem: 'http_500', response: { isReplayed: true } });
  expect(again).not.toHaveProperty('notTaken');
  expect(await rail.lookUp(sentOf(one))).toMatchObject({ outcome: 'never_received' });
  expect(await made(one)).toBe(0);
  await rail.close();
});

test('nothing is sent to a payee without a connected account, and a payee who cannot receive is to blame', async () => {
  const { secretKey, payee, rail, order } = await connect();
  const one = order();
  const { connected: _none, ...details } = one.details;
  expect(await rail.submit({ ...one, details })).toMatchObject({
    outcome: 'failed',
    fault: { class: 'payee', code: 'no_account' },
    response: { sent: false },
  });
  await stripe.setPayee(secretKey, payee, { status: 'restricted' });
  expect(await rail.submit(one)).toMatchObject({ fault: { class: 'payee', code: 'insufficient_capabilities_for_transfer' } });
  await rail.close();
});

test('a check makes both webhooks once, and makes them anew when they are gone or nobody knows their secret', async () => {
  const { open } = await connect();
  const learnedBy = async (account: Partial<StripeAccount>) => {
    const rail = open(account);
    const check = await rail.check();
    await rail.close();
    expect(check?.findings).toEqual([]);
    expect(check?.balances).toEqual({ eur: 1_000_000 });
    return check?.learned as Partial<StripeAccount>;
  };
  const first = await learnedBy({});
  expect(Object.keys(first).sort()).toEqual(['connectWebhookId', 'connectWebhookSecret', 'webhookId', 'webhookSecret']);
  expect(await learnedBy(first)).toEqual({});
  const { webhookId: _gone, ...rest } = first;
  const second = await learnedBy(rest);
  expect(Object.keys(second).sort()).toEqual(['webhookId', 'webhookSecret']);
  expect(await learnedBy(first)).toMatchObject({ webhookId: expect.not.stringMatching(String(first.webhookId)) });
});

test('an account is the one that Stripe names, in test or live mode, and a wrong key is nobody', async () => {
  const { secretKey, tools } = await connect();
  const name = secretKey.replace('sk_test_platform_', '');
  expect(await stripeConnectRail.identityOf({ secretKey }, tools)).toBe(`acct_${name} test`);
  const live = secretKey.replace('_test_', '_live_');
  expect(await stripeConnectRail.identityOf({ secretKey: live }, tools)).toBe(`acct_${name} live`);
  await expect(stripeConnectRail.identityOf({ secretKey: 'sk_test_wrong' }, tools)).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
  });
  const silent = { ...tools, providerUrl: 'http://127.0.0.1:9' };
  await expect(stripeConnectRail.identityOf({ secretKey }, silent)).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
  const rail = stripeConnectRail.open({ secretKey }, silent);
  expect(await rail.check()).toBeNull();
  await rail.close();
});

test('the list has every transfer with its reversals, and agrees with the balance', async () => {
  const { secretKey, rail, order } = await connect();
  const orders = Array.from({ length: 30 }, order);
  for (const one of orders) await rail.submit(one);
  const [first, second] = orders as [TransferOrder, TransferOrder];
  await stripe.reverse(secretKey, first.idempotencyKey);
  await stripe.reverse(secretKey, second.idempotencyKey, 400);
  const movements: ListedMovement[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await rail.list?.(new Date(0), new Date(Date.now() + 60_000), cursor);
    movements.push(...(page?.movements ?? []));
    cursor = page?.next ?? null;
  }
  expect(movements).toHaveLength(32);
  const of = ({ idempotencyKey }: TransferOrder) =>
    movements
      .filter((movement) => movement.idempotencyKey === idempotencyKey)
      .map(({ kind, status, amountMinor }) => [kind, status, amountMinor]);
  expect(of(first).sort()).toEqual([
    ['payment', 'returned', 12_500],
    ['return', 'returned', 12_500],
  ]);
  expect(of(second).sort()).toEqual([
    ['payment', 'unknown', 12_500],
    ['return', 'returned', 400],
  ]);
  const moved = movements.reduce((sum, { kind, amountMinor }) => sum + (kind === 'return' ? amountMinor : -amountMinor), 0);
  expect(await rail.balances?.()).toEqual({ eur: 1_000_000 + moved });
  await rail.close();
});

test('a reversal is found by a look-up: in full a return, in part for a person', async () => {
  const { secretKey, rail, order } = await connect();
  const [whole, part] = [order(), order()];
  for (const one of [whole, part]) await rail.submit(one);
  await stripe.reverse(secretKey, whole.idempotencyKey);
  await stripe.reverse(secretKey, part.idempotencyKey, 1);
  expect(await rail.lookUp(sentOf(whole))).toMatchObject({ outcome: 'returned', state: 'reversed' });
  expect(await rail.lookUp(sentOf(part))).toMatchObject({
    needsReview: 'status_unknown',
    word: { status: 'partially_reversed' },
  });
  const answer = (await rail.submit(whole)) as Answer;
  // The kept answer is older than the reversal: a look-up decides.
  expect(answer.outcome).toBe('paid');
  await rail.close();
});

test('an account of a payee is made once for a key, asks its owner, and is looked at with each event', async () => {
  const { secretKey, open } = await connect();
  const plain = open();
  const rail = open((await plain.check())?.learned);
  const given = { key: 'connection-1', email: 'ada@example.com', country: 'DE' };
  const [made, again] = await Promise.all([rail.payees?.create(given), rail.payees?.create(given)]);
  expect(made).toMatchObject({ state: 'pending', requirements: ['bank_account', 'identity_document', 'terms'] });
  expect(again).toEqual(made);
  const { account } = made as { account: string };
  const urls = { returnUrl: 'https://portal.test/back', refreshUrl: 'https://portal.test/again' };
  expect(await rail.payees?.onboard(account, urls)).toMatch(/^https:\/\/connect\.stripe\.test\/setup\//);
  await stripe.setPayee(secretKey, account, { status: 'active', due: [] });
  expect(await rail.payees?.look(account)).toEqual({ account, state: 'ready', requirements: [] });
  const told = (await stripe.events(secretKey)).filter(({ about }) => about === account);
  expect(told).toHaveLength(2);
  for (const { headers, body } of told)
    expect(await rail.readNotice(headers, Buffer.from(body))).toEqual({ payee: { account, state: 'ready', requirements: [] } });
  expect(await rail.payees?.look('acct_of_another')).toMatchObject({ state: 'restricted' });
  await Promise.all([rail.close(), plain.close()]);
});

test('accounts are those of the first version where Stripe has no second, and a refusal names its reason', async () => {
  const { rail } = await connect();
  await stripe.allow({ hasV2: false, stripeCarriesLosses: false });
  const made = await rail.payees?.create({ key: 'connection-2', email: 'ada@example.com', country: 'DE' });
  expect(made).toMatchObject({ state: 'pending' });
  const { account } = made as { account: string };
  expect(await rail.payees?.look(account)).toMatchObject({
    state: 'pending',
    requirements: ['bank_account', 'identity_document', 'terms'],
  });
  const urls = { returnUrl: 'https://portal.test/back', refreshUrl: 'https://portal.test/again' };
  expect(await rail.payees?.onboard(account, urls)).toMatch(/^https:/);
  await stripe.allow({ isRecipientRefused: true });
  expect(await rail.payees?.create({ key: 'connection-3', email: 'ada@example.com', country: 'DE' })).toEqual({
    refused: 'platform_account_required',
  });
  await stripe.allow({ hasV2: true, stripeCarriesLosses: true, isRecipientRefused: false });
  await rail.close();
});
