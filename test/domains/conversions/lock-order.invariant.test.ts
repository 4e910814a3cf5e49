import { lockMembership } from '../../../src/domains/affiliates/index.ts';
import { blockAffiliate } from '../../../src/domains/affiliates/use-cases/affiliate.ts';
import { lockBalance, verifyLedger } from '../../../src/domains/ledger/index.ts';
import { disconnectStripeAccount, lockProgramShared } from '../../../src/domains/programs/index.ts';
import { inTransaction } from '../../../src/platform/context.ts';
import { execute, sql } from '../../../src/platform/database/sql.ts';
import { useTestApi } from '../../support/api.ts';
import {
  makeAffiliate,
  makeClick,
  makeCoupon,
  makeMerchant,
  makeProgram,
  saleEvent,
  sendRefund,
  sendSale,
  sendUnscreened,
  unique,
} from '../../support/factories.ts';
import { untilSomebodyWaits } from '../../support/lock-waits.ts';
import { recordStatements, type StatementsOf } from '../../support/statements.ts';
import { checkoutSession, invoice, seconds, sendStripeEvent, stripeEvent } from '../../support/stripe/stripe-events.ts';
import { anyAccount, booksOf, connectAccount, makeStripeProgram } from '../../support/stripe/stripe-programs.ts';

const api = useTestApi({ RAIL_PAYPAL: 'manual' });
let statementsOf: StatementsOf;
beforeAll(async () => {
  statementsOf = await recordStatements(api);
});

const context = () => api.runtime.context({ kind: 'system', name: 'test' });

const setUp = async (settings: Record<string, unknown> = {}) => {
  const { key } = await makeMerchant(api.runtime);
  const program = await makeProgram(api, key, settings);
  return { key, program, ...(await makeAffiliate(api.runtime, program.programId, `ok+${unique()}`)) };
};

it('a sale takes few statements, and locks the balance for the last two', async () => {
  const { program, code } = await setUp({ commissionHoldDays: 30 });
  await sendSale(api, program, { referralCode: code });
  const statements = await statementsOf(() => sendUnscreened(api, program, saleEvent({ referralCode: code })));
  const locked = statements.findIndex((text) => text.includes('ledger_balance'));
  expect(statements.length).toBeLessThanOrEqual(10);
  expect(statements.slice(locked).map((text) => /ledger_balance|commit/.exec(text)?.[0])).toEqual(['ledger_balance', 'commit']);
});

it('sales share the lock of a membership, and a block waits for them', async () => {
  const { affiliateId } = await setUp();
  const order: string[] = [];
  let blocking: Promise<unknown> | undefined;
  await inTransaction(context(), async (ctx) => {
    await lockMembership(ctx, affiliateId);
    await inTransaction(context(), (other) => lockMembership(other, affiliateId));
    blocking = blockAffiliate(context(), { id: affiliateId }).then(() => order.push('blocked'));
    await untilSomebodyWaits(api);
    order.push('sale');
  });
  await blocking;
  expect(order).toEqual(['sale', 'blocked']);
});

it('a block and a change of the program come before the sales that arrive after them, however many keep coming', async () => {
  const { key, program, affiliateId, code } = await setUp();
  const order: string[] = [];
  const record = (name: string) => (answer: unknown) => order.push(`${name}: ${JSON.stringify(answer)}`);
  const waiting: Promise<unknown>[] = [];
  await inTransaction(context(), async (ctx) => {
    await lockProgramShared(ctx, program.programId);
    await lockMembership(ctx, affiliateId);
    const changed = api.call('PATCH', `/programs/${program.programId}`, { key, body: { commissionPercent: 30 } });
    waiting.push(changed.then(({ status }) => record('program')(status)));
    waiting.push(blockAffiliate(context(), { id: affiliateId }).then(({ status }) => record('affiliate')(status)));
    await untilSomebodyWaits(api, 2);
    waiting.push(
      sendUnscreened(api, program, saleEvent({ referralCode: code })).then(({ data }) => record('sale')(data.outcome)),
      inTransaction(context(), (other) => lockMembership(other, affiliateId)).then(({ status }) => record('sees')(status)),
    );
    await untilSomebodyWaits(api, 4);
    expect(order).toEqual([]);
  });
  await Promise.all(waiting);
  expect(order.toSorted()).toEqual(['affiliate: "blocked"', 'program: 200', 'sale: "unattributed"', 'sees: "blocked"']);
});

it('the end of access to a Stripe account comes before the sales that arrive after it, and holds up no other program', async () => {
  const [other, busy] = [await makeStripeProgram(api), await makeStripeProgram(api)];
  expect(other.programId < busy.programId).toBe(true);
  const accountId = anyAccount();
  for (const { programId } of [other, busy]) await connectAccount(api, programId, accountId);
  const order: string[] = [];
  const takes = (name: string, { programId }: { programId: string }) =>
    inTransaction(context(), (ctx) => lockProgramShared(ctx, programId)).then(() => order.push(name));
  const waiting: Promise<unknown>[] = [];
  await inTransaction(context(), async (ctx) => {
    await lockProgramShared(ctx, busy.programId);
    const access = { accountId, livemode: false, at: new Date(Date.now() + 1_000) };
    waiting.push(disconnectStripeAccount(context(), access).then((count) => order.push(`${count} disconnected`)));
    await untilSomebodyWaits(api);
    await takes('sale of the other program', other);
    waiting.push(takes('sale', busy));
    await untilSomebodyWaits(api, 2);
    expect(order).toEqual(['sale of the other program']);
  });
  await Promise.all(waiting);
  expect(order.slice(1).toSorted()).toEqual(['2 disconnected', 'sale']);
});

it('a block that waits for the balance does not hold up the foreign keys of its holder', async () => {
  const { program, affiliateId, code } = await setUp();
  await sendSale(api, program, { referralCode: code });
  let blocking: Promise<unknown> | undefined;
  await inTransaction(context(), async (ctx) => {
    await lockBalance(ctx, affiliateId);
    blocking = blockAffiliate(context(), { id: affiliateId });
    await untilSomebodyWaits(api);
    await execute(ctx.em, sql`select 1 from affiliate where id = ${affiliateId}::uuid for key share`);
  });
  expect(await blocking).toMatchObject({ status: 'blocked' });
});

const minutesAgo = (minutes: number): number => Date.now() - minutes * 60_000;

/**
 * A sign-up of Stripe whose evidence leads to two affiliates: its coupon was valid when the first invoice was paid, and only the
 * click at the time of the sign-up, which attributes an earlier payment of the customer. The ids are in the other order.
 */
const makeSignUpOfTwo = async () => {
  const clicked = await makeStripeProgram(api, { commissionHoldDays: 30 });
  const { programId, endpoint } = clicked;
  const couponed = await makeAffiliate(api.runtime, programId);
  await execute(
    context().em,
    sql`update affiliate set created_at = now() - interval '1 day' where id = ${couponed.affiliateId}::uuid`,
  );
  const member = { programId, affiliateId: couponed.affiliateId };
  const expiresAt = new Date(minutesAgo(5)).toISOString();
  const { couponCode: coupon } = await makeCoupon(api.runtime, member, { expiresAt });
  const { clickToken } = await makeClick(api.runtime, clicked, 20);
  const customer = `cus_${unique()}`;
  const paid = async (minutes: number, who: string, discounts = clicked.discounts) => {
    const at = seconds(minutesAgo(minutes));
    const session = checkoutSession({ customer: who, created: at, discounts });
    await sendStripeEvent(api, endpoint, stripeEvent('checkout.session.completed', session, { created: at }));
    return session.payment_intent;
  };
  // Both have a balance.
  await paid(8, `cus_${unique()}`);
  await paid(8, `cus_${unique()}`, [{ coupon, promotion_code: null }]);
  const earlier = await paid(15, customer, []);
  const paidAt = { finalized_at: null, marked_uncollectible_at: null, paid_at: seconds(minutesAgo(9)), voided_at: null };
  const first = invoice({ customer, status_transitions: paidAt });
  await sendStripeEvent(api, endpoint, stripeEvent('invoice.paid', first));
  const session = checkoutSession({
    mode: 'subscription',
    customer,
    payment_intent: null,
    invoice: first.id ?? null,
    created: seconds(minutesAgo(10)),
    discounts: [{ coupon, promotion_code: null }],
    metadata: { agentref_cid: clickToken },
  });
  const signUp = () => sendStripeEvent(api, endpoint, stripeEvent('checkout.session.completed', session));
  return { clicked, couponed, earlier: String(earlier), first: String(first.id), signUp };
};

it('a sign-up of Stripe whose evidence leads to two affiliates locks one balance at a time', async () => {
  const { clicked, couponed, earlier, first, signUp } = await makeSignUpOfTwo();
  expect(clicked.affiliateId < couponed.affiliateId).toBe(true);
  let signingUp: ReturnType<typeof signUp> | undefined;
  await inTransaction(context(), async (ctx) => {
    await lockBalance(ctx, clicked.affiliateId);
    signingUp = signUp();
    await untilSomebodyWaits(api);
    await lockBalance(ctx, couponed.affiliateId);
  });
  expect(await signingUp).toMatchObject({ status: 200, data: { outcome: 'recorded' } });
  expect([(await booksOf(api, first))?.affiliateId, (await booksOf(api, earlier))?.affiliateId]).toEqual([
    couponed.affiliateId,
    clicked.affiliateId,
  ]);
  expect(await signUp()).toMatchObject({ status: 200, data: { outcome: 'duplicate' } });
});

it('a sign-up of Stripe that is dated ahead changes nothing, and waits for a person', async () => {
  const { clicked, first, earlier } = await makeSignUpOfTwo();
  const session = checkoutSession({
    mode: 'subscription',
    payment_intent: null,
    invoice: first,
    created: seconds(minutesAgo(10)),
    discounts: clicked.discounts,
  });
  const ahead = stripeEvent('checkout.session.completed', session, { created: seconds(minutesAgo(-10)) });
  expect((await sendStripeEvent(api, clicked.endpoint, ahead)).data).toMatchObject({ outcome: 'needs_review' });
  expect([(await booksOf(api, first))?.reason, (await booksOf(api, earlier))?.reason]).toEqual(['NO_MATCH', 'NO_MATCH']);
});

it('everything that books or locks one affiliate at the same time ends without a deadlock', async () => {
  const { key, program, affiliateId, code } = await setUp();
  const { programId } = program;
  const sale = (saleId: string) => sendSale(api, program, { saleId, referralCode: code });
  const responses: { status: number }[] = [];
  for (let round = 0; round < 12; round++) {
    const sold = unique();
    await sale(sold);
    const body = { affiliateId, programId };
    responses.push(
      ...(await Promise.all([
        sale(unique()),
        api.call('POST', `/affiliates/${affiliateId}/block`, { key, body: {} }),
        sale(unique()),
        api.call('POST', '/payouts', { key, body }),
        sendRefund(api, program, { saleId: sold, amount: 100 }),
        api.call('POST', `/affiliates/${affiliateId}/unblock`, { key }),
        api.call('POST', `/affiliates/${affiliateId}/adjustments`, { key, body: { amount: 100, kind: 'bonus', note: 'test' } }),
        api.call('PATCH', `/affiliates/${affiliateId}`, { key, body: { commissionPercent: round + 1 } }),
        sale(unique()),
      ])),
    );
    await api.call('POST', `/affiliates/${affiliateId}/unblock`, { key });
  }
  // 409: nothing is payable, a payout is in flight, or the affiliate is blocked.
  expect(responses.filter(({ status }) => status >= 400 && status !== 409)).toEqual([]);
  expect(await verifyLedger(context())).toEqual([]);
});
