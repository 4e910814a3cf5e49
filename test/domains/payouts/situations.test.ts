import { PAYOUT_REASONS, PAYOUT_STATES } from '../../../src/contracts/situations/payout.ts';
import { payoutLifecycle } from '../../../src/contracts/workflows/payout-lifecycle.ts';
import { PAYOUT_TIMING, type PayoutLifecycleInput, situationOf } from '../../../src/contracts/workflows/payouts.ts';
import { getPayoutSnapshot } from '../../../src/domains/payouts/payout-state.queries.ts';
import { payoutForFinance } from '../../../src/texts/payout.finance.en.ts';
import { describePayout } from '../../../workflows/pages/payout.ts';
import { useTestApi } from '../../support/api.ts';
import { makePayoutIn, PAYOUT_CASES } from '../../support/situations.ts';

const api = useTestApi({ RAIL_PAYPAL: 'manual' });

/** What the workflow of a payout was started with. */
const inputOf = (payout: Record<string, never>): PayoutLifecycleInput =>
  payoutLifecycle.start(
    {
      subjectId: '',
      suffix: null,
      payload: {
        ...{
          payoutId: payout['id'],
          merchantId: 'm',
          programId: 'g',
          affiliateId: 'a',
          affiliateCode: 'ada',
          programName: 'Acme',
        },
        ...{ amountMinor: '2000', currency: 'usd', rail: payout['rail'], method: 'paypal', createdAt: payout['createdAt'] },
      } as never,
    },
    { timing: PAYOUT_TIMING, links: { api: 'http://api.example/api/v1', workflows: null } },
  ).input;

test('a case exists for every state and reason', () => {
  const states = new Set(PAYOUT_CASES.map(({ state }) => state));
  const reasons = new Set(PAYOUT_CASES.flatMap(({ reason }) => reason ?? []));
  expect([...states].sort()).toEqual([...PAYOUT_STATES].sort());
  expect([...reasons].sort()).toEqual([...PAYOUT_REASONS].sort());
});

/** Contradictions and returns that are not confirmed have workflows of their own; that of the payout shows how it ended. */
const HAS_OWN_WORKFLOW = ['contradiction', 'return_unconfirmed'];

test.each(PAYOUT_CASES.map((each, at) => [`${each.state} ${each.reason ?? ''} (${at})`, each] as const))(
  '%s: the record, the list and Temporal say the same',
  async (_name, each) => {
    const { state, reason } = each;
    const payout = await makePayoutIn(api, each);
    const record = await payout.read();
    const { situation } = record;
    expect(situation).toMatchObject({ state, reason });
    const { data: listed } = await api.call('GET', '/payouts', { key: payout.key });
    expect(listed.find(({ id }: { id: string }) => id === payout.payoutId).situation).toEqual(situation);
    const input = inputOf(record);
    const snapshot = await getPayoutSnapshot(api.runtime.context({ kind: 'system', name: 'test' }), payout.payoutId);
    const ended = HAS_OWN_WORKFLOW.includes(reason ?? state);
    const { next, waitsFor } = situation;
    expect(situationOf(input, snapshot)).toMatchObject(
      ended ? { state: 'paid', reason: null } : { state, reason, next, waitsFor },
    );
    const page = describePayout(input, snapshot, null);
    expect(page).toMatch(/^\[Open in the console\]\(http:\/\/api\.example\/console\/payouts\/\S+\)\n/);
    expect(page).toContain(`**${payoutForFinance.states[ended ? 'paid' : state].label}**`);
    expect(page.split('*For developers*')[0]).not.toMatch(/\b(?:GET|POST|PATCH) \//);
  },
);
