import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import { emptyState, facts } from '../../components/blocks.ts';
import { table } from '../../components/table.ts';
import { html } from '../../html.ts';
import { page } from '../../page.ts';
import { path, url } from '../../url.ts';

const SALE_STATES: Readonly<Record<OperationSuccess<'getConversion'>['data']['status'], string>> = {
  pending: 'Pending',
  approved: 'Payable',
  rejected: 'Declined',
  refunded: 'Refunded',
  partially_refunded: 'Partly refunded',
};

const words = (code: string): string => code.replaceAll('_', ' ');

/** From the evidence of a sale to the entries of its commission. */
export const payoutSalePage = page({
  path: '/console/payouts/{id}/sales/{conversionId}',
  audience: 'merchant',
  below: '/console/payouts',
  uses: ['getConversion'],
  async view(call) {
    const { data } = await call.call('getConversion', { params: { id: call.param('conversionId') } });
    const { format } = call;
    const { attribution } = data;
    return {
      title: `Sale ${data.externalSaleId}`,
      actions: html`<a class="button secondary" href="${url(path('/console/payouts/{id}', { id: call.param('id') }))}">Back to the payout</a>`,
      content: html`${facts([
        ['Amount', format.money(data.amount, data.currency)],
        ['Refunded', data.refundedAmount === 0 ? null : format.money(data.refundedAmount, data.currency)],
        ['Commission', format.money(data.commission, data.currency)],
        ['Status', SALE_STATES[data.status]],
        ['Sold', format.time(data.occurredAt)],
        ['Payable since', data.approvedAt && format.time(data.approvedAt)],
        ['Customer', data.customerId],
        ['Attribution', attribution && words(attribution.rule ?? data.method)],
        ['Code', attribution?.code],
        ['Note', attribution?.note],
      ])}<h2>Ledger</h2>${table({
        caption: 'Ledger entries of the commission',
        rows: data.ledgerEntries,
        columns: [
          { head: 'Entry', cell: ({ kind }) => words(kind) },
          { head: 'Account', cell: ({ account }) => words(account) },
          { head: 'Amount', align: 'end', cell: ({ amount, currency }) => format.money(amount, currency) },
          { head: 'Posted', cell: ({ createdAt }) => format.time(createdAt) },
        ],
        empty: emptyState({ icon: 'book', title: 'No ledger entries yet' }),
      })}`,
    };
  },
});
