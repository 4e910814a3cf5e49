import { PAYOUT_REASONS, PAYOUT_STATES } from '../../../src/contracts/situations/payout.ts';
import { useTestApi } from '../../support/api.ts';
import { makePayoutIn, PAYOUT_CASES } from '../../support/situations.ts';

const api = useTestApi({ RAIL_PAYPAL: 'manual' });

test('a case exists for every state and reason', () => {
  const states = new Set(PAYOUT_CASES.map(({ state }) => state));
  const reasons = new Set(PAYOUT_CASES.flatMap(({ reason }) => reason ?? []));
  expect([...states].sort()).toEqual([...PAYOUT_STATES].sort());
  expect([...reasons].sort()).toEqual([...PAYOUT_REASONS].sort());
});

test.each(PAYOUT_CASES.map((each, at) => [`${each.state} ${each.reason ?? ''} (${at})`, each] as const))(
  '%s: the record and the list say the same',
  async (_name, each) => {
    const { state, reason } = each;
    const payout = await makePayoutIn(api, each);
    const { situation } = await payout.read();
    expect(situation).toMatchObject({ state, reason });
    const { data: listed } = await api.call('GET', '/payouts', { key: payout.key });
    expect(listed.find(({ id }: { id: string }) => id === payout.payoutId).situation).toEqual(situation);
  },
);
