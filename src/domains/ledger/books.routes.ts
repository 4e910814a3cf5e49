import { csvUrlSchema } from '../../platform/http/csv-download.ts';
import { operation } from '../../platform/http/operation.ts';
import { withGivenTimes } from '../given-times.ts';
import { listLedgerBalances } from './balances.queries.ts';
import * as wire from './books.wire.ts';
import { exportLedger } from './journal.queries.ts';
import { listLedgerPeriods } from './periods.queries.ts';
import { closeLedgerPeriod } from './use-cases/close-ledger-period.ts';

const tag = 'Books';
const read = { tag, access: { keys: ['merchant'], scope: 'payouts:read' } } as const;

const programId = '0197f2c4-2222-7000-8000-000000000002';

const periodExample = {
  period: '2026-03',
  status: 'closed' as const,
  closedAt: '2026-04-02T09:30:00.000Z',
  closedBy: 'key:0197f2c4-1111-7000-8000-000000000001',
  totals: [
    { account: 'in_payout' as const, currency: 'usd', entries: 24, amount: 0, balance: 0 },
    { account: 'merchant_expense' as const, currency: 'usd', entries: 31, amount: -62_000, balance: -186_000 },
    { account: 'paid' as const, currency: 'usd', entries: 12, amount: 58_000, balance: 160_000 },
    { account: 'payable' as const, currency: 'usd', entries: 40, amount: 4_000, balance: 26_000 },
  ],
};

export const booksRoutes = [
  operation({
    id: 'exportLedger',
    method: 'GET',
    path: '/ledger/export',
    ...read,
    summary: 'Export the journal as CSV',
    description:
      'Returns a URL of a file with one row for each ledger entry, in the order of booking, at most 100,000. Columns: date, account, counterAccount, kind, subject, affiliate, currency, amount, program, transaction, rail. `date` is the day in your time zone, or the first day of the open month for what was posted after its own month was closed. `subject` is the conversion, adjustment or payout. Each transfer has two rows, whose decimal amounts add up to zero; the rows of an account add up to its change. The file of a closed month never changes.',
    query: wire.journalQuery,
    reply: csvUrlSchema,
    reasons: ['EXPORT_TOO_LARGE'],
    example: {
      data: { url: 'https://api.example.com/files/exports/journal.csv?token=eyJ0.5f2c', expiresAt: '2026-04-02T09:40:00.000Z' },
    },
    handle: ({ ctx, query }) => exportLedger(ctx, query),
  }),
  operation({
    id: 'listLedgerBalances',
    method: 'GET',
    path: '/ledger/balances',
    ...read,
    summary: 'List the balances of the ledger at a time',
    description: 'Returns the balance of each account, by program and currency, as of any time. Balances of zero are left out.',
    query: wire.balancesQuery,
    paged: true,
    reply: wire.balanceSchema,
    example: { data: [{ account: 'payable', programId, currency: 'usd', amount: 26_000 }] },
    handle: async ({ ctx, query }) => listLedgerBalances(ctx, await withGivenTimes(ctx, query)),
  }),
  operation({
    id: 'listLedgerPeriods',
    method: 'GET',
    path: '/ledger/periods',
    ...read,
    summary: 'List the months of the books',
    description: 'Returns all months from that of the first entry to the current one, the last one first.',
    query: wire.periodsQuery,
    paged: true,
    reply: wire.periodSchema,
    example: { data: [periodExample] },
    handle: ({ ctx, query }) => listLedgerPeriods(ctx, query),
  }),
  operation({
    id: 'closeLedgerPeriod',
    method: 'POST',
    path: '/ledger/periods/{period}/close',
    tag,
    access: { keys: ['merchant'], scope: 'payouts:write' },
    summary: 'Close a month',
    description:
      'Closes a month that is over in your time zone. Its figures never change after that: what is posted later, such as a refund, is booked in the open month. Months are closed in their order, beginning with that of the first entry; earlier ones cannot be closed. Only the operator of the server can open the last closed month again, which is in the audit log. Errors: `PERIOD_NOT_OVER`, `PERIOD_CLOSED`, `PERIOD_OUT_OF_ORDER` with the `next` month.',
    params: wire.periodParams,
    reply: wire.periodSchema,
    reasons: ['PERIOD_CLOSED', 'PERIOD_NOT_OVER', 'PERIOD_OUT_OF_ORDER'],
    example: { data: periodExample },
    handle: ({ ctx, params }) => closeLedgerPeriod(ctx, params),
  }),
];
