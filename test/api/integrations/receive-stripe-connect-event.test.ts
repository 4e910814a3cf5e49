import { useOwnApi } from '../../support/api.ts';
import { makeMerchant } from '../../support/factories.ts';
import { checkoutSession, refundedCharge, sendStripeEvent, stripeEvent } from '../../support/stripe/stripe-events.ts';
import { anyAccount, booksOf, connectAccount, makeStripeProgram } from '../../support/stripe/stripe-programs.ts';

const SECRET = 'whsec_of_the_connect_endpoint';
const api = useOwnApi({ STRIPE_CONNECT_WEBHOOK_SECRET: SECRET });
const COMPLETED = 'checkout.session.completed';
const endpoint = { programId: null, secret: SECRET };

const send = (account: string | undefined, type: string, object: object, more: Record<string, unknown> = {}) =>
  sendStripeEvent(api, endpoint, stripeEvent(type, object, { ...(account ? { account } : {}), ...more }));

const setUp = async (account = anyAccount(), owner?: Awaited<ReturnType<typeof makeMerchant>>) => {
  const made = await makeStripeProgram(api, { commissionHoldDays: 30 }, owner);
  await connectAccount(api, made.programId, account);
  return { ...made, account };
};

test('an event belongs to the program that is connected to its account', async () => {
  const made = await setUp();
  const session = checkoutSession({ discounts: made.discounts });
  expect((await send(made.account, COMPLETED, session)).data.outcome).toBe('recorded');
  await send(made.account, 'charge.refunded', refundedCharge(session.payment_intent as string, 5_900));
  expect(await booksOf(api, session.payment_intent as string)).toMatchObject({ affiliateId: made.affiliateId, refunded: 5_000 });
});

test('events of other accounts, of the platform itself and of the other mode are ignored', async () => {
  const made = await setUp();
  const session = checkoutSession({ discounts: made.discounts });
  expect((await send(anyAccount(), COMPLETED, session)).data.outcome).toBe('ignored');
  expect((await send(undefined, COMPLETED, session)).data.outcome).toBe('ignored');
  expect((await send(made.account, COMPLETED, session, { livemode: true })).data.outcome).toBe('ignored');
  expect(await booksOf(api, session.payment_intent as string)).toBeNull();
});

test('programs on one account are told apart by agentref_pid, and refunds find the sale in either', async () => {
  const first = await setUp();
  const second = await setUp(first.account, first.merchant);
  const metadata = { agentref_pid: second.programId };
  const session = checkoutSession({ discounts: second.discounts, metadata });
  expect((await send(first.account, COMPLETED, session)).data.outcome).toBe('recorded');
  await send(first.account, 'charge.refunded', refundedCharge(session.payment_intent as string, 5_900));
  expect(await booksOf(api, session.payment_intent as string)).toMatchObject({
    affiliateId: second.affiliateId,
    refunded: 5_000,
  });
});

test('without agentref_pid, a payment on an account of several programs is of the one that its coupon leads to', async () => {
  const first = await setUp();
  const second = await setUp(first.account, first.merchant);
  for (const made of [first, second]) {
    const session = checkoutSession({ discounts: made.discounts });
    expect((await send(first.account, COMPLETED, session)).data.outcome).toBe('recorded');
    expect(await booksOf(api, session.payment_intent as string)).toMatchObject({ affiliateId: made.affiliateId, reason: null });
  }
});

test('without agentref_pid, a payment on an account of two merchants is of the one whose coupon it has', async () => {
  const first = await setUp();
  const second = await setUp(first.account, await makeMerchant(api.runtime));
  const session = checkoutSession({ discounts: second.discounts });
  expect((await send(first.account, COMPLETED, session)).data.outcome).toBe('recorded');
  expect((await send(first.account, COMPLETED, session)).data.outcome).toBe('duplicate');
  expect(await booksOf(api, session.payment_intent as string)).toMatchObject({ affiliateId: second.affiliateId });
});

test('with an unknown agentref_pid, a payment on an account of several programs is unattributed', async () => {
  const first = await setUp();
  await setUp(first.account, first.merchant);
  for (const named of ['acme', '0198f1c2-8b10-7d02-8f3e-51c9a7e2b604']) {
    const session = checkoutSession({ discounts: first.discounts, metadata: { agentref_pid: named } });
    expect((await send(first.account, COMPLETED, session)).data.outcome).toBe('unattributed');
    expect(await booksOf(api, session.payment_intent as string)).toMatchObject({ reason: 'PROGRAM_UNKNOWN', affiliateId: null });
  }
});

test('a payment that names a program of another merchant credits nobody', async () => {
  const made = await setUp();
  const other = await setUp();
  const session = checkoutSession({ discounts: other.discounts, metadata: { agentref_pid: other.programId } });
  expect((await send(made.account, COMPLETED, session)).data.outcome).toBe('unattributed');
  expect(await booksOf(api, session.payment_intent as string)).toMatchObject({ reason: 'PROGRAM_UNKNOWN' });
});

test('a payment that arrives at two endpoints of the same programs is booked once', async () => {
  const made = await setUp();
  const session = checkoutSession({ discounts: made.discounts });
  expect((await send(made.account, COMPLETED, session)).data.outcome).toBe('recorded');
  const own = await sendStripeEvent(api, made.endpoint, stripeEvent(COMPLETED, session));
  expect(own.data.outcome).toBe('duplicate');
});

test('two merchants on one account each get the refunds of their own sales', async () => {
  const first = await setUp();
  const second = await setUp(first.account, await makeMerchant(api.runtime));
  for (const made of [first, second]) {
    const session = checkoutSession({ discounts: made.discounts, metadata: { agentref_pid: made.programId } });
    await send(made.account, COMPLETED, session);
    await send(made.account, 'charge.refunded', refundedCharge(session.payment_intent as string, 11_800));
    expect(await booksOf(api, session.payment_intent as string)).toMatchObject({
      affiliateId: made.affiliateId,
      status: 'refunded',
    });
  }
});

describe('account.application.deauthorized', () => {
  const ENDED = 'account.application.deauthorized';
  const application = { id: 'ca_123', object: 'application' };
  const now = () => Math.floor(Date.now() / 1_000);
  const accountOf = async ({ programId, key }: { programId: string; key: string }) =>
    (await api.call('GET', `/programs/${programId}`, { key })).data.stripeAccountId;

  test('the event disconnects all programs of the account, once, and keeps what was booked', async () => {
    const first = await setUp();
    const second = await setUp(first.account, await makeMerchant(api.runtime));
    const other = await setUp();
    const session = checkoutSession({ discounts: first.discounts, metadata: { agentref_pid: first.programId } });
    await send(first.account, COMPLETED, session);
    expect((await send(first.account, ENDED, application, { created: now() + 1 })).data.outcome).toBe('recorded');
    expect((await send(first.account, ENDED, application, { created: now() + 1 })).data.outcome).toBe('ignored');
    expect([await accountOf(first), await accountOf(second), await accountOf(other)]).toEqual([null, null, other.account]);
    expect(await booksOf(api, session.payment_intent as string)).toMatchObject({ affiliateId: first.affiliateId });
  });

  test('an event that arrives after the account was connected again disconnects nothing, nor does one of the other mode', async () => {
    const made = await setUp();
    expect((await send(made.account, ENDED, application, { created: now() - 60 })).data.outcome).toBe('ignored');
    expect((await send(made.account, ENDED, application, { created: now() + 1, livemode: true })).data.outcome).toBe('ignored');
    expect(await accountOf(made)).toBe(made.account);
  });
});
