import { badge, buttonLink, emptyState } from '../../components/blocks.ts';
import { filters, pager, table } from '../../components/table.ts';
import { attributes, html } from '../../html.ts';
import { queryOf } from '../../list-query.ts';
import { nameOf } from '../../name.ts';
import { page, redirectToSigned } from '../../page.ts';
import { payoutSaid } from '../../said.ts';
import { path, url } from '../../url.ts';
import { methodText } from './payout-method.ts';

const STATUSES = [
  { value: 'pending', label: 'Pending' },
  { value: 'processing', label: 'Processing' },
  { value: 'completed', label: 'Paid' },
  { value: 'failed', label: 'Failed' },
] as const;

const FILTERS = [
  'status',
  'needsAttention',
  'programId',
  'affiliateId',
  'code',
  'name',
  'reference',
  'q',
  'paidFrom',
  'paidTo',
] as const;

export const payoutsPage = page({
  path: '/console/payouts',
  audience: 'merchant',
  navigation: { label: 'Payouts', icon: 'clock' },
  uses: ['listPayouts'],
  mayUse: ['exportPayouts'],
  async view(call) {
    const query = queryOf(call, FILTERS);
    const { data, meta } = await call.call('listPayouts', { query: { ...query, ...queryOf(call, ['cursor', 'limit']) } });
    const isFiltered = Object.keys(query).length > 0;
    return {
      title: 'Payouts',
      actions:
        call.allows('exportPayouts') &&
        html`<a class="button secondary" href="${url(path('/console/payouts/export', {}, query))}"${attributes({ 'hx-boost': 'false' })}>${call.texts.kit.export}</a>`,
      content: html`${filters(call, [
        { name: 'status', label: 'Status', options: STATUSES },
        { name: 'needsAttention', label: 'Needs a decision', options: [{ value: 'true', label: 'Yes' }] },
        { name: 'q', label: 'Code, name or reference' },
      ])}${table({
        caption: 'Payouts',
        rows: data,
        columns: [
          {
            head: 'Payee',
            cell: ({ id, affiliateName, affiliateCode }) =>
              html`<a href="${url(path('/console/payouts/{id}', { id }))}">${nameOf(affiliateName ?? affiliateCode)}</a>`,
          },
          { head: 'Amount', align: 'end', cell: ({ amount, currency }) => call.format.money(amount, currency) },
          { head: 'Status', cell: (payout) => badge(payoutSaid(payout).label, payoutSaid(payout).tone) },
          { head: 'Program', cell: ({ programName }) => nameOf(programName) },
          { head: 'Payout method', cell: (payout) => methodText(payout) },
          { head: 'Created', cell: ({ createdAt }) => call.format.date(createdAt) },
          { head: 'Paid', cell: ({ paidAt }) => (paidAt === null ? '–' : call.format.companyDate(paidAt)) },
        ],
        empty: isFiltered
          ? emptyState({
              icon: 'search',
              title: 'No payouts match these filters',
              action: buttonLink('/console/payouts', 'Show all payouts'),
            })
          : emptyState({
              icon: 'money',
              title: 'No payouts yet',
              text: 'Draft a payout run to see what is due, then pay it.',
              action: buttonLink('/console/pay', 'Go to Pay', 'primary'),
            }),
      })}${data.length > 0 && pager(call, meta, data.length)}`,
    };
  },
});

/** Redirects to the file, whose address is made for each download. */
export const payoutsExportPage = page({
  path: '/console/payouts/export',
  audience: 'merchant',
  below: '/console/payouts',
  uses: ['exportPayouts'],
  async view(call) {
    const { data } = await call.call('exportPayouts', { query: queryOf(call, FILTERS) });
    return redirectToSigned(data.url);
  },
});
