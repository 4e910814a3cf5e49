import { type Figure, figures } from '../../components/blocks.ts';
import type { Html } from '../../html.ts';
import type { PageCall } from '../../page.ts';
import { totalText } from '../pay/run-state.ts';

const BALANCES = '100';

/** Accounts of the ledger as people name what is on them. */
const STATES = [
  { account: 'pending', label: 'Held', note: 'Commissions in their hold period' },
  { account: 'payable', label: 'Payable', note: 'For the next run', href: '/console/pay' },
  {
    account: 'in_payout',
    label: 'Being paid',
    note: 'In payouts that are not final',
    href: '/console/payouts?status=processing',
  },
  { account: 'paid', label: 'Paid', note: 'Since the beginning', href: '/console/payouts?status=completed' },
] as const;

/** Where the affiliates' money is. Amounts are summed across programs, never across currencies. */
export const moneyView = async (call: PageCall<'listLedgerBalances'>): Promise<Html | null> => {
  if (!call.allows('listLedgerBalances')) return null;
  const { data } = await call.call('listLedgerBalances', { query: { limit: BALANCES } });
  const totals = new Map<string, Record<string, number>>();
  for (const { account, currency, amount } of data) {
    const total = totals.get(account) ?? {};
    totals.set(account, { ...total, [currency]: (total[currency] ?? 0) + amount });
  }
  return figures(STATES.map((state): Figure => ({ ...state, value: totalText(totals.get(state.account) ?? {}, call) })));
};
