import {
  type DifferenceView,
  inWords,
  type ReconciliationStatusView,
  type RunView,
  toPaymentsHeld,
} from './reconciliation.wire.ts';

export const statusExample: ReconciliationStatusView = {
  openDifferences: 1,
  comparedAt: '2026-01-16T04:00:14.000Z',
  paymentsHeld: toPaymentsHeld({ heldAt: '2026-01-16T09:12:40.000Z', cause: 'database_behind' }),
};

export const differenceExample: DifferenceView = {
  id: '0198f1c2-9a10-7c31-9f0a-2f1d3b6c8e90',
  kind: 'missing_here',
  status: 'open',
  rail: 'sandbox',
  ...inWords('missing_here'),
  payoutId: null,
  programId: null,
  ours: null,
  theirs: {
    state: 'paid',
    amount: 4860,
    currency: 'usd',
    fee: 25,
    feeCurrency: 'usd',
    destination: 'a***@example.com',
    reference: 'trf_3f6c2a',
    payments: 1,
    at: '2026-01-15T09:30:02.000Z',
  },
  note: null,
  linkedPayoutId: null,
  resolvedBy: null,
  createdAt: '2026-01-16T04:00:12.000Z',
  seenAt: '2026-01-16T04:00:12.000Z',
  resolvedAt: null,
};

export const resolveDifferenceExample = {
  data: {
    ...differenceExample,
    status: 'resolved' as const,
    note: 'Paid by hand in the dashboard for another contract',
    resolvedBy: 'key:0197f2c4-1111-7000-8000-000000000001',
    resolvedAt: '2026-01-16T08:00:00.000Z',
  },
  body: { note: 'Paid by hand in the dashboard for another contract' },
};

export const runExample: RunView = {
  id: '0198f1c2-9a00-7c31-9f0a-2f1d3b6c8e8f',
  rail: 'sandbox',
  status: 'completed',
  problem: null,
  trigger: 'schedule',
  since: '2025-11-17T04:00:00.000Z',
  until: '2026-01-16T04:00:00.000Z',
  completeUntil: '2026-01-16T03:59:50.000Z',
  payments: 212,
  differences: 1,
  totals: [
    {
      currency: 'usd',
      ours: { payments: 212, amount: 1_034_200, fees: 5_300, returned: 4_860 },
      theirs: { payments: 213, amount: 1_039_060, fees: 5_325, returned: 4_860 },
      others: { movements: 3, amount: 2_500_000 },
      opening: null,
      moved: null,
      closing: 1_460_940,
    },
  ],
  createdAt: '2026-01-16T04:00:00.000Z',
  endedAt: '2026-01-16T04:00:14.000Z',
};
