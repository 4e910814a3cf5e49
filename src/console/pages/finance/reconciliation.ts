import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import { select } from '../../components/choices.ts';
import { paragraph } from '../../components/fields.ts';
import { html } from '../../html.ts';
import { list } from '../../list.ts';
import { listPage } from '../../list-page.ts';
import { form, type PageCall, redirect } from '../../page.ts';
import { paymentsHeldNotice, readReconciliation } from '../../payments-held.ts';
import { path, url } from '../../url.ts';

type Difference = OperationSuccess<'listReconciliationDifferences'>['data'][number];
type Side = Difference['ours'];

const resolve = form({
  fields: {
    differenceId: select({ label: 'Payment', required: true }),
    note: paragraph({ label: 'What you found and did', required: true, rows: 2 }),
  },
  uses: ['resolveReconciliationDifference'],
  async submit(call, { differenceId: id, note }) {
    await call.call('resolveReconciliationDifference', { params: { id }, body: { note } });
    return redirect(call.path, { flash: 'Resolved' });
  },
});

const sideText = (side: Side, format: PageCall['format']): string =>
  side === null ? 'Nothing' : `${format.money(side.amount, side.currency)}, ${side.state}`;

const nameOf = ({ title, ours, theirs }: Difference, format: PageCall['format']): string => {
  const side = theirs ?? ours;
  return side ? `${title}: ${format.money(side.amount, side.currency)}, ${format.date(side.at)}` : title;
};

const differences = list({
  id: 'differences',
  operation: 'listReconciliationDifferences',
  fixed: { status: 'open' },
  caption: () => 'Payments that differ',
  sizes: [50, 100],
  columns: ({ format }) => [
    {
      id: 'what',
      head: 'What differs',
      cell: ({ title, explanation, nextStep }) => html`<strong>${title}</strong><br>${explanation} ${nextStep}`,
    },
    { id: 'ours', head: 'Your books', cell: ({ ours }) => sideText(ours, format) },
    { id: 'theirs', head: 'Provider', cell: ({ theirs }) => sideText(theirs, format) },
    {
      id: 'payout',
      head: 'Payout',
      cell: ({ payoutId }) =>
        payoutId === null ? 'Unknown' : html`<a href="${url(path('/console/payouts/{id}', { id: payoutId }))}">View payout</a>`,
    },
    { id: 'found', head: 'Found', cell: ({ createdAt }) => format.date(createdAt) },
  ],
  empty: () => ({
    icon: 'check',
    title: 'Your books and your providers agree',
    text: 'They are compared every day. Payments that the two record differently appear here.',
  }),
});

/** Payments that the books and a provider record differently. */
export const reconciliationPage = listPage({
  list: differences,
  path: '/console/reconciliation',
  audience: 'merchant',
  below: '/console',
  forms: { resolve },
  title: () => 'Reconciliation',
  uses: ['getReconciliationStatus'],
  above: async (call) =>
    html`${paymentsHeldNotice(await readReconciliation(call), call)}<p>We compare your books with your providers' own lists every day, and change nothing on our own. While your provider lists a payment that your books don't have, nothing else is paid to the same payee.</p>`,
  after({ format }, { resolve }, rows) {
    const options = rows.map((difference) => ({ value: difference.id, label: nameOf(difference, format) }));
    const fields = html`${resolve.field('differenceId', { options })}${resolve.field('note')}`;
    return (
      ((rows.length > 0 && resolve.isAllowed) || resolve.isSent) &&
      html`<h2>Resolve a difference</h2>${resolve.render({ submit: 'Resolve', content: fields })}`
    );
  },
});
