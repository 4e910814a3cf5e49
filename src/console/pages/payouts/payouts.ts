import { badge, buttonLink } from '../../components/blocks.ts';
import { list, SIZES } from '../../list.ts';
import { listExport, listPage } from '../../list-page.ts';
import { nameOf } from '../../name.ts';
import { payoutSaid } from '../../said.ts';
import { path } from '../../url.ts';
import { methodText } from './payout-method.ts';

const AT = '/console/payouts';

const STATUSES = [
  { value: 'pending', label: 'Pending' },
  { value: 'processing', label: 'Processing' },
  { value: 'completed', label: 'Paid' },
  { value: 'failed', label: 'Failed' },
] as const;

const payouts = list({
  id: 'payouts',
  operation: 'listPayouts',
  caption: () => 'Payouts',
  filters: [
    { name: 'status', label: 'Status', options: STATUSES },
    { name: 'needsAttention', label: 'Needs a decision', options: [{ value: 'true', label: 'Yes' }] },
    { name: 'q', label: 'Code, name or reference' },
  ],
  linked: ['programId', 'affiliateId', 'code', 'name', 'reference', 'paidFrom', 'paidTo'],
  href: ({ id }) => path('/console/payouts/{id}', { id }),
  isOneLine: true,
  sizes: SIZES,
  columns: ({ format }) => [
    { id: 'payee', head: 'Payee', cell: ({ affiliateName, affiliateCode }) => nameOf(affiliateName ?? affiliateCode) },
    { id: 'reference', head: 'Reference', cell: ({ paymentReference }) => paymentReference },
    { id: 'amount', head: 'Amount', align: 'end', cell: ({ amount, currency }) => format.money(amount, currency) },
    { id: 'status', head: 'Status', cell: (payout) => badge(payoutSaid(payout).label, payoutSaid(payout).tone) },
    { id: 'program', head: 'Program', isLong: true, cell: ({ programName }) => nameOf(programName) },
    { id: 'method', head: 'Payout method', cell: (payout) => methodText(payout) },
    { id: 'code', head: 'Referral code', isExtra: true, cell: ({ affiliateCode }) => affiliateCode },
    {
      id: 'fee',
      head: 'Provider fee',
      align: 'end',
      isExtra: true,
      cell: ({ fee, currency }) => (fee === null ? '–' : format.money(fee, currency)),
    },
    { id: 'bank', head: 'Bank reference', isExtra: true, isLong: true, cell: ({ bankReference }) => bankReference ?? '–' },
    { id: 'created', head: 'Created', cell: ({ createdAt }) => format.date(createdAt) },
    { id: 'paid', head: 'Paid', cell: ({ paidAt }) => (paidAt === null ? '–' : format.companyDate(paidAt)) },
  ],
  noMatch: () => ({
    icon: 'search',
    title: 'No payouts match these filters',
    action: buttonLink(AT, 'Show all payouts'),
  }),
  empty: () => ({
    icon: 'money',
    title: 'No payouts yet',
    text: 'Draft a payout run to see what is due, then pay it.',
    action: buttonLink('/console/pay', 'Go to Pay', 'primary'),
  }),
});

export const payoutsPage = listPage({
  list: payouts,
  path: AT,
  audience: 'merchant',
  navigation: { label: 'Payouts', icon: 'clock' },
  title: () => 'Payouts',
  exportedBy: 'exportPayouts',
});

export const payoutsExportPage = listExport({ list: payouts, path: AT, audience: 'merchant', by: 'exportPayouts' });
