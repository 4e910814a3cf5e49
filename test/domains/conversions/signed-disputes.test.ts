import fc from 'fast-check';
import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeMerchant, makeProgram, refundEvent, saleEvent, sendEvent, unique } from '../../support/factories.ts';

const api = useTestApi({ RAIL_PAYPAL: 'manual' });
const context = () => api.runtime.context({ kind: 'system', name: 'test' });
const now = () => new Date().toISOString();

const disputed = (data: object) => ({ type: 'sale.disputed', timestamp: now(), data });
const closed = (data: object, won: unknown) => ({ type: 'sale.dispute_closed', timestamp: now(), data: { ...data, won } });

const setUp = async (settings: Record<string, unknown> = {}) => {
  const { key } = await makeMerchant(api.runtime);
  const program = await makeProgram(api, key, settings);
  const { programId } = program;
  const { affiliateId, code } = await makeAffiliate(api.runtime, programId);
  const ids = () => ({ saleId: `sale-${unique()}`, disputeId: `dispute-${unique()}` });
  const send = (event: unknown) => sendEvent(api, program, event);
  const sell = async () => {
    const of = ids();
    const { data } = await send(saleEvent({ saleId: of.saleId, referralCode: code }));
    return { of, conversionId: data.conversionId as string };
  };
  const conversionOf = async (conversionId: string) => (await api.call('GET', `/conversions/${conversionId}`, { key })).data;
  const findConversion = async (externalSaleId: string) => {
    const { data } = await api.call('GET', '/conversions', { key, query: { externalSaleId } });
    return conversionOf(data[0].id);
  };
  const pay = () => api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  return { key, code, ids, send, sell, conversionOf, findConversion, pay };
};

afterEach(async () => {
  expect(await verifyLedger(context())).toEqual([]);
});

it('a dispute holds its commission, and a won one lets it be paid', async () => {
  const { send, sell, conversionOf, pay } = await setUp();
  const { of, conversionId } = await sell();
  expect((await send(disputed(of))).data).toEqual({ outcome: 'recorded', conversionId });
  expect((await send(disputed(of))).data).toEqual({ outcome: 'duplicate', conversionId });
  expect((await conversionOf(conversionId)).hold).toMatchObject({ kind: 'dispute' });
  expect((await pay()).status).toBe(409);
  expect((await send(closed(of, true))).data).toEqual({ outcome: 'recorded', conversionId });
  expect(await conversionOf(conversionId)).toMatchObject({ hold: null, commission: 2_000, refundedAmount: 0 });
  expect(await pay()).toMatchObject({ status: 201, data: { amount: 2_000 } });
});

it('a lost dispute takes the commission, also one that a payout has', async () => {
  const { send, sell, conversionOf, pay, key } = await setUp();
  const { of, conversionId } = await sell();
  const payout = (await pay()).data;
  for (const verb of ['process', 'complete']) await api.call('POST', `/payouts/${payout.id}/${verb}`, { key });
  expect((await send(closed(of, false))).data).toEqual({ outcome: 'recorded', conversionId });
  expect(await conversionOf(conversionId)).toMatchObject({
    status: 'refunded',
    commission: 0,
    refundedAmount: 10_000,
    hold: null,
  });
  await sell();
  expect((await pay()).error.details).toMatchObject({ reason: 'NOTHING_PAYABLE' });
});

it('two disputes hold until both are closed', async () => {
  const { send, sell, conversionOf, ids } = await setUp({ commissionHoldDays: 30 });
  const { of, conversionId } = await sell();
  const second = { ...of, disputeId: ids().disputeId };
  for (const event of [disputed(of), disputed(second), closed(of, true)]) await send(event);
  expect((await conversionOf(conversionId)).hold).toMatchObject({ kind: 'dispute' });
  await send(closed(second, true));
  expect((await conversionOf(conversionId)).hold).toBeNull();
});

/** Events beside the sale, and what is refunded and held in the end, in every order and with repeats. */
const SCENES: Readonly<
  Record<string, [refunded: number, isHeld: boolean, scene: (of: { saleId: string; disputeId: string }) => unknown[]]>
> = {
  'an open dispute': [0, true, (of) => [disputed(of)]],
  'a won dispute': [0, false, (of) => [disputed(of), closed(of, true)]],
  'a won dispute that was never reported as open': [0, false, (of) => [closed(of, true)]],
  'a lost dispute': [10_000, false, (of) => [disputed(of), closed(of, false)]],
  'a refund and an open dispute': [
    2_500,
    true,
    ({ saleId, ...of }) => [refundEvent({ saleId, amount: 2_500 }), disputed({ saleId, ...of })],
  ],
  'a refund and a lost dispute': [
    10_000,
    false,
    ({ saleId, ...of }) => [refundEvent({ saleId, amount: 2_500 }), closed({ saleId, ...of }, false)],
  ],
  'a full refund and a lost dispute': [
    10_000,
    false,
    ({ saleId, ...of }) => [refundEvent({ saleId, amount: 10_000 }), closed({ saleId, ...of }, false)],
  ],
};

it.each(Object.entries(SCENES))(
  '%s leads to the same books in every order',
  async (_name, [refunded, isHeld, scene]) => {
    const { send, ids, code, findConversion } = await setUp({ commissionHoldDays: 30 });
    const places = scene(ids())
      .concat(null)
      .map((_, at) => at);
    const order = fc.shuffledSubarray([...places, ...places], { minLength: 2 * places.length });
    await fc.assert(
      fc.asyncProperty(order, async (shuffled) => {
        const of = ids();
        const events = [saleEvent({ saleId: of.saleId, referralCode: code }), ...scene(of)];
        for (const place of shuffled) expect((await send(events[place])).status).toBe(200);
        const found = await findConversion(of.saleId);
        expect(found).toMatchObject({ refundedAmount: refunded, commission: (10_000 - refunded) / 5 });
        expect(found.hold?.kind === 'dispute').toBe(isHeld);
      }),
      { numRuns: 5 },
    );
  },
  60_000,
);

it('all events of a dispute at the same time lead to the same books', async () => {
  const { send, ids, code, findConversion } = await setUp({ commissionHoldDays: 30 });
  for (let round = 0; round < 3; round++) {
    const of = ids();
    const sale = saleEvent({ saleId: of.saleId, referralCode: code });
    const events = [disputed(of), sale, closed(of, false), disputed(of), closed(of, false)];
    const responses = await Promise.all(events.map(send));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(await findConversion(of.saleId)).toMatchObject({ refundedAmount: 10_000, commission: 0, hold: null });
  }
});

it('refunds after a lost dispute are at most the sale', async () => {
  const { send, sell } = await setUp({ commissionHoldDays: 30 });
  const { of } = await sell();
  await send(closed(of, false));
  expect((await send(refundEvent({ saleId: of.saleId, amount: 6_000 }))).status).toBe(200);
  const response = await send(refundEvent({ saleId: of.saleId, amount: 6_000 }));
  expect([response.status, response.error.details]).toMatchObject([409, { reason: 'REFUND_EXCEEDS_SALE', remaining: 4_000 }]);
});

it('a dispute that was won can be lost later, and one that was lost is not won by an event', async () => {
  const { send, sell, conversionOf } = await setUp({ commissionHoldDays: 30 });
  const { of, conversionId } = await sell();
  await send(closed(of, true));
  expect((await send(closed(of, false))).data).toMatchObject({ outcome: 'recorded' });
  const response = await send(closed(of, true));
  expect([response.status, response.error.details]).toMatchObject([409, { reason: 'PAYLOAD_MISMATCH', fields: ['won'] }]);
  expect(await conversionOf(conversionId)).toMatchObject({ commission: 0 });
});

it.each([
  ['opened', (of: object) => disputed(of)],
  ['lost', (of: object) => closed(of, false)],
] as const)('a dispute of another sale that is %s is 409 and changes nothing', async (_what, eventOf) => {
  const { send, sell, conversionOf } = await setUp({ commissionHoldDays: 30 });
  const [one, other] = [await sell(), await sell()];
  await send(disputed(one.of));
  const response = await send(eventOf({ ...one.of, saleId: other.of.saleId }));
  expect([response.status, response.error.details]).toMatchObject([409, { reason: 'PAYLOAD_MISMATCH', fields: ['saleId'] }]);
  expect(await conversionOf(other.conversionId)).toMatchObject({ commission: 2_000, hold: null });
  expect((await conversionOf(one.conversionId)).hold).toMatchObject({ kind: 'dispute' });
});

it.each([
  ['no sale', disputed({ disputeId: 'd-1' })],
  ['a blank dispute', disputed({ saleId: 's-1', disputeId: ' ' })],
  ['an outcome before its end', disputed({ saleId: 's-1', disputeId: 'd-1', won: true })],
  ['no outcome', closed({ saleId: 's-1', disputeId: 'd-1' }, undefined)],
  ['an outcome as text', closed({ saleId: 's-1', disputeId: 'd-1' }, 'true')],
  ['an id of 201 characters', disputed({ saleId: 's-1', disputeId: 'd'.repeat(201) })],
])('a dispute with %s is 422', async (_what, event) => {
  const response = await (await setUp()).send(event);
  expect([response.status, response.error.code]).toEqual([422, 'VALIDATION_ERROR']);
});
