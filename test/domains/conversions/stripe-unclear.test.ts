import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { rows, sql } from '../../../src/platform/database/sql.ts';
import { useTestApi } from '../../support/api.ts';
import { makeClick, unique } from '../../support/factories.ts';
import { checkoutSession, invoice, refundedCharge, seconds, stripeEvent } from '../../support/stripe/stripe-events.ts';
import { makeTwoPrograms } from '../../support/stripe/two-programs.ts';

const api = useTestApi();
const COMPLETED = 'checkout.session.completed';
const context = () => api.runtime.context({ kind: 'system', name: 'test' });

type Two = Awaited<ReturnType<typeof makeTwoPrograms>>;

const couponOf = (coupon: string) => [{ coupon, promotion_code: null }];

/** A payment with a coupon that both programs have. */
const makeTie = async (two: Two) => {
  const session = checkoutSession({ discounts: couponOf(await two.shareCoupon()) });
  return { event: stripeEvent(COMPLETED, session), payment: session.payment_intent as string };
};

const mailsOf = (merchantId: string) =>
  rows<{ kind: string }>(
    context().em,
    sql<{ kind: string }>`select kind from mail where merchant_id = ${merchantId}::uuid and kind = 'sale_problem'`,
  );

describe('a coupon of both programs', () => {
  it.each(['a', 'b'] as const)('the only endpoint that receives the payment decides: %s', async (at) => {
    const two = await makeTwoPrograms(api);
    const { event, payment } = await makeTie(two);
    expect(await two.send(two[at].endpoint, event)).toMatchObject({ outcome: 'recorded' });
    expect(await two.send(two[at].endpoint, event)).toMatchObject({ outcome: 'duplicate' });
    const { programId, affiliateId } = two[at];
    expect(await two.placesOf(payment)).toMatchObject([{ programId, affiliateId, reason: null, commission: 2_000 }]);
    expect(await two.openProblems()).toEqual([]);
  });

  it.each([
    ['a first', ['a', 'b']],
    ['b first', ['b', 'a']],
    ['b first, with repeats', ['b', 'b', 'a', 'b', 'a']],
    ['at the same time', null],
  ] as const)('two endpoints decide nothing, %s: a person does', async (_order, order) => {
    const two = await makeTwoPrograms(api);
    const { event, payment } = await makeTie(two);
    if (order === null) await Promise.all([two.a, two.b, two.a, two.b].map(({ endpoint }) => two.send(endpoint, event)));
    else for (const at of order) await two.send(two[at].endpoint, event);
    expect(await two.placesOf(payment)).toMatchObject([{ affiliateId: null, reason: 'PROGRAM_UNKNOWN' }]);
    expect(await two.openProblems()).toMatchObject([
      { reason: 'PROGRAM_UNKNOWN', objectId: payment, eventId: event.id, saleId: expect.any(String) },
    ]);
    expect(await verifyLedger(context())).toEqual([]);
  });

  it('once the endpoints are known to be of one account, neither decides: the next payment earns nothing before somebody says so', async () => {
    const two = await makeTwoPrograms(api);
    const plain = stripeEvent(COMPLETED, checkoutSession());
    await two.send(two.a.endpoint, plain);
    await two.send(two.b.endpoint, plain);
    const { event, payment } = await makeTie(two);
    expect(await two.send(two.b.endpoint, event)).toEqual({
      outcome: 'unattributed',
      conversionId: null,
      reason: 'PROGRAM_UNKNOWN',
    });
    expect(await two.placesOf(payment)).toMatchObject([{ affiliateId: null, reason: 'PROGRAM_UNKNOWN' }]);
    const { data } = await api.call('GET', '/conversions', { key: two.key });
    expect(data).toEqual([]);
  });

  it('a click that comes later, with the session of an invoice, tells what its coupon left open', async () => {
    const two = await makeTwoPrograms(api);
    const plain = stripeEvent(COMPLETED, checkoutSession());
    for (const { endpoint } of [two.a, two.b]) await two.send(endpoint, plain);
    const customer = `cus_${unique()}`;
    const paid = invoice({ customer });
    const sessionOf = (more: object) => {
      const of = {
        mode: 'subscription',
        customer,
        payment_intent: null,
        invoice: paid.id ?? null,
        created: seconds() - 60,
      } as const;
      return stripeEvent(COMPLETED, checkoutSession({ ...of, ...more }));
    };
    await two.send(two.a.endpoint, sessionOf({ discounts: couponOf(await two.shareCoupon()) }));
    await two.send(two.a.endpoint, stripeEvent('invoice.paid', paid));
    expect(await two.placesOf(paid.id)).toMatchObject([{ reason: 'PROGRAM_UNKNOWN' }]);
    await two.send(two.a.endpoint, sessionOf({ client_reference_id: two.b.clickToken }));
    const { programId, affiliateId } = two.b;
    expect(await two.placesOf(paid.id)).toMatchObject([{ programId, affiliateId, reason: null, commission: 2_000 }]);
    expect(await two.openProblems()).toEqual([]);
  });
});

describe('a payment whose program is unknown', () => {
  const receive = async (two: Two, named = 'acme') => {
    const session = checkoutSession({ metadata: { agentref_pid: named }, discounts: two.a.discounts });
    const event = stripeEvent(COMPLETED, session);
    for (const { endpoint } of [two.a, two.b]) await two.send(endpoint, event);
    return session.payment_intent as string;
  };

  it('is listed for the merchant and mailed once a day', async () => {
    const two = await makeTwoPrograms(api);
    const payments = [await receive(two), await receive(two, '0198f1c2-8b10-7d02-8f3e-51c9a7e2b604')];
    const found = await two.openProblems();
    expect(found.map(({ objectId }: { objectId: string }) => objectId)).toEqual(payments.toReversed());
    expect(await mailsOf(two.merchantId)).toHaveLength(1);
  });

  it('a person credits it to an affiliate of any program, which it then belongs to, with its refunds and disputes', async () => {
    const two = await makeTwoPrograms(api);
    const payment = await receive(two);
    await two.send(two.a.endpoint, stripeEvent('charge.refunded', refundedCharge(payment, 2_950)));
    const [problem] = await two.openProblems();
    const body = { affiliateId: two.b.affiliateId, note: 'The customer bought the second product' };
    const response = await api.call('POST', `/sales/${problem.saleId}/attribute`, { key: two.key, body });
    expect(response).toMatchObject({ status: 200, data: { programId: two.b.programId, reason: null } });
    await two.send(two.a.endpoint, stripeEvent('charge.refunded', refundedCharge(payment, 5_900)));
    expect(await two.placesOf(payment)).toEqual([
      {
        programId: two.b.programId,
        affiliateId: two.b.affiliateId,
        reason: null,
        refunded: 5_000,
        commission: 1_000,
        status: 'partially_refunded',
      },
    ]);
    expect(await two.openProblems()).toEqual([]);
    expect(await verifyLedger(context())).toEqual([]);
  });

  it('what is credited by a person stays, whatever is received later', async () => {
    const two = await makeTwoPrograms(api);
    const session = checkoutSession({ metadata: { agentref_pid: 'acme' } });
    const event = stripeEvent(COMPLETED, session);
    await two.send(two.a.endpoint, event);
    const [problem] = await two.openProblems();
    const body = { affiliateId: two.b.affiliateId, note: 'By phone' };
    await api.call('POST', `/sales/${problem.saleId}/attribute`, { key: two.key, body });
    expect(await two.send(two.b.endpoint, event)).toMatchObject({ outcome: 'duplicate' });
    expect(await two.placesOf(session.payment_intent as string)).toMatchObject([{ affiliateId: two.b.affiliateId }]);
  });

  it('a sale whose program is certain moves to no other', async () => {
    const two = await makeTwoPrograms(api);
    const session = checkoutSession({ metadata: { agentref_pid: two.a.programId } });
    await two.send(two.a.endpoint, stripeEvent(COMPLETED, session));
    const { data } = await api.call('GET', '/sales', { key: two.key });
    const body = { affiliateId: two.b.affiliateId, note: 'By phone' };
    const response = await api.call('POST', `/sales/${data[0].id}/attribute`, { key: two.key, body });
    expect([response.status, response.error.code]).toEqual([422, 'VALIDATION_ERROR']);
  });
});

test('a payment that is unclear and has a field that cannot be used is one problem, which says that it is unclear', async () => {
  const two = await makeTwoPrograms(api);
  const discounts = couponOf(await two.shareCoupon());
  const session = checkoutSession({ discounts, client_reference_id: 'x'.repeat(501) });
  const event = stripeEvent(COMPLETED, session);
  for (const at of ['a', 'b', 'a'] as const) await two.send(two[at].endpoint, event);
  expect(await two.openProblems()).toMatchObject([
    { reason: 'PROGRAM_UNKNOWN', objectId: session.payment_intent, saleId: expect.any(String), fields: ['client_reference_id'] },
  ]);
});

test('a click that is too old for a payment does not tell its program', async () => {
  const two = await makeTwoPrograms(api);
  const { clickToken } = await makeClick(api.runtime, two.b, 400 * 24 * 60);
  const session = checkoutSession({ metadata: { agentref_cid: clickToken }, discounts: two.a.discounts });
  await two.send(two.b.endpoint, stripeEvent(COMPLETED, session));
  expect(await two.placesOf(session.payment_intent as string)).toMatchObject([
    { programId: two.a.programId, affiliateId: two.a.affiliateId },
  ]);
});
