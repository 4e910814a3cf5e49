import { amountLines } from '../../amounts.ts';
import { type Figure, figures } from '../../components/blocks.ts';
import type { Html } from '../../html.ts';
import type { PageCall } from '../../page.ts';

export const MONEY_OPERATIONS = ['getPayoutOverview', 'listLedgerBalances'] as const;
type Call = PageCall<(typeof MONEY_OPERATIONS)[number]>;

const PER_PAGE = '100';
/** Balances of a thousand programs. */
const MAX_PAGES = 50;

/** What each account of the ledger holds, by currency and across programs. */
const readBalances = async (call: Call): Promise<Map<string, Record<string, number>>> => {
  const totals = new Map<string, Record<string, number>>();
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const { data, meta } = await call.call('listLedgerBalances', { query: { limit: PER_PAGE, cursor } });
    for (const { account, currency, amount } of data) {
      const total = totals.get(account) ?? {};
      totals.set(account, { ...total, [currency]: (total[currency] ?? 0) + amount });
    }
    cursor = meta.nextCursor;
    if (cursor === undefined) break;
  }
  return totals;
};

const totalOf = (sums: readonly { currency: string; amount: number }[]): Record<string, number> =>
  Object.fromEntries(sums.map(({ currency, amount }) => [currency, amount]));

const openFigures = async (call: Call): Promise<{ ready: Figure; started: Figure[] }> => {
  const { data } = await call.call('getPayoutOverview');
  const lines = (sums: (typeof data)['ready']) => amountLines(totalOf(sums), call);
  return {
    ready: {
      label: 'Ready to pay',
      value: lines(data.ready),
      note: data.isReadyCapped ? 'To the newest 1,000 affiliates with a balance' : 'A payout run would pay it now',
      href: '/console/pay?ready=true',
    },
    started: [
      {
        label: 'Not started',
        value: lines(data.notStarted),
        note: 'Payouts queued, on hold, to pay or awaiting approval',
        href: '/console/payouts?status=pending',
      },
      {
        label: 'Processing',
        value: lines(data.processing),
        note: 'Payouts in progress',
        href: '/console/payouts?status=processing',
      },
    ],
  };
};

/** Where the affiliates' money is. Each figure with a link adds up what its list shows. */
export const moneyView = async (call: Call): Promise<Html | null> => {
  const [open, balances] = await Promise.all([
    call.allows('getPayoutOverview') ? openFigures(call) : null,
    call.allows('listLedgerBalances') ? readBalances(call) : null,
  ]);
  if (open === null && balances === null) return null;
  const inAccount = (account: string) => balances && amountLines(balances.get(account) ?? {}, call);
  const pending = balances && { label: 'Pending', value: inAccount('pending'), note: 'Earned and not payable yet' };
  const paid = balances && {
    label: 'Paid',
    value: inAccount('paid'),
    note: 'All time',
    href: '/console/payouts?status=completed',
  };
  return figures(
    [pending, open?.ready, ...(open?.started ?? []), paid].filter((figure) => figure !== null && figure !== undefined),
  );
};
