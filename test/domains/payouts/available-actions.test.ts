import { PAYOUT_ACTIONS, type PayoutAction } from '../../../src/contracts/situations/payout.ts';
import { useTestApi } from '../../support/api.ts';
import { makeKey } from '../../support/factories.ts';
import { makePayoutIn, PAYOUT_CASES, type PayoutCase } from '../../support/situations.ts';

/* What is offered is done, and everything else is refused for the reason that was given. */

const api = useTestApi({ RAIL_PAYPAL: 'manual' });

const BODIES: Readonly<Partial<Record<PayoutAction, object>>> = {
  complete: { note: 'Seen at the bank' },
  fail: { note: 'Not at the bank' },
  return: { note: 'It came back', evidence: 'Statement 12' },
  resolve: { note: 'Asked the bank', outcome: 'paid' },
};

interface Offer {
  action: PayoutAction;
  refusedBecause: string | null;
}

type Made = Awaited<ReturnType<typeof makePayoutIn>>;

const call = ({ payoutId, key }: Made, action: PayoutAction) => {
  if (action === 'read_instructions') return api.call('GET', `/payouts/${payoutId}/instructions`, { key });
  const body = BODIES[action];
  return api.call('POST', `/payouts/${payoutId}/${action}`, { key, ...(body ? { body } : {}) });
};

const offersOf = async (payout: Made): Promise<Offer[]> => (await payout.read()).availableActions;

const outcomeOf = async (each: PayoutCase, { action, refusedBecause }: Offer): Promise<string | null> => {
  const response = await call(await makePayoutIn(api, each), action);
  if (response.status < 300) return null;
  return response.error.details?.reason ?? `${refusedBecause}: ${response.status}`;
};

test.each(PAYOUT_CASES.map((each, at) => [`${each.state} ${each.reason ?? ''} (${at})`, each] as const))(
  '%s: every action does what was said',
  async (_name, each) => {
    const payout = await makePayoutIn(api, each);
    const offers = await offersOf(payout);
    expect(offers.map(({ action }) => action)).toEqual(PAYOUT_ACTIONS);
    for (const { action, refusedBecause } of offers.filter(({ refusedBecause: reason }) => reason !== null)) {
      const response = await call(payout, action);
      expect([action, response.status, response.error?.details.reason]).toEqual([action, 409, refusedBecause]);
    }
    for (const offer of offers.filter(({ refusedBecause }) => refusedBecause === null))
      expect([offer.action, await outcomeOf(each, offer)]).toEqual([offer.action, null]);
  },
);

test('a key that only reads can do nothing', async () => {
  const payout = await makePayoutIn(api, PAYOUT_CASES.find(({ state }) => state === 'to_pay') as PayoutCase);
  const reader = await makeKey(api.runtime, { ownerId: payout.merchantId, scopes: ['payouts:read'] });
  const { data: read } = await api.call('GET', `/payouts/${payout.payoutId}`, { key: reader.key });
  expect(new Set(read.availableActions.map((offer: Offer) => offer.refusedBecause))).toEqual(new Set(['INSUFFICIENT_SCOPE']));
});

test('to start a payment that must not be made is not offered: it would end the payout', async () => {
  const payout = await makePayoutIn(api, PAYOUT_CASES.find(({ state }) => state === 'to_pay') as PayoutCase);
  await api.call('POST', `/affiliates/${payout.affiliateId}/block`, { key: payout.key, body: { reason: 'Fraud' } });
  const offers = await offersOf(payout);
  expect(offers.find(({ action }) => action === 'process')).toEqual({ action: 'process', refusedBecause: 'AFFILIATE_BLOCKED' });
  expect(offers.find(({ action }) => action === 'cancel')).toEqual({ action: 'cancel', refusedBecause: null });
});
