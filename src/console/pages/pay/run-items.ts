import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import { amountLines } from '../../amounts.ts';
import { emptyState } from '../../components/blocks.ts';
import { filters, pager, table } from '../../components/table.ts';
import { type Html, html } from '../../html.ts';
import { nameOf } from '../../name.ts';
import type { PageCall } from '../../page.ts';
import { reasonText } from '../../said.ts';
import { path, url } from '../../url.ts';
import { providerText } from '../payouts/payout-method.ts';
import type { RunForms } from './run-actions.ts';
import { type RunData, sumOf } from './run-totals.ts';

type Items = OperationSuccess<'listPayoutRunItems'>;
type Item = Items['data'][number];

const RESULTS: Readonly<Record<Item['result'], string>> = {
  planned: 'Planned',
  pending: 'Pending',
  processing: 'Processing',
  completed: 'Paid',
  failed: 'Failed',
  left_out: 'Not included',
};

const runPath = ({ id }: Pick<RunData, 'id'>, query: Record<string, string> = {}): string =>
  path('/console/pay/runs/{id}', { id }, query);

/** Who is not paid, by reason. Each reason links to its affiliates. */
export const exceptionsView = (run: RunData, call: PageCall): Html | false => {
  const all = run.totals.filter(({ result }) => result === 'left_out' || result === 'failed');
  if (all.length === 0) return false;
  const groups = [...Map.groupBy(all, ({ result, reason }) => `${result} ${reason}`).values()];
  return html`<h2>Not paid</h2>${table({
    caption: 'Not paid, by reason',
    rows: groups.map((totals) => ({
      ...sumOf(totals),
      result: totals[0]?.result ?? 'left_out',
      reason: totals[0]?.reason ?? null,
    })),
    columns: [
      {
        head: 'Why',
        cell: ({ result, reason }) =>
          html`<a href="${url(runPath(run, { result, ...(reason ? { reason } : {}) }))}">${reason ? reasonText(reason) : RESULTS[result]}</a>`,
      },
      { head: 'Affiliates', align: 'end', cell: ({ items }) => call.format.number(items) },
      { head: 'Amount', align: 'end', cell: ({ total }) => amountLines(total, call) },
    ],
    empty: html``,
  })}`;
};

const payeeCell = ({ affiliateId, code, email, result }: Item, canTakeOut: boolean): Html => {
  const who = html`<span>${nameOf(email)} <span class="note">${code}</span></span>`;
  if (!canTakeOut || result === 'left_out') return who;
  const id = `item-${affiliateId}`;
  return html`<span class="box"><input type="checkbox" id="${id}" name="affiliateIds" value="${affiliateId}"><label for="${id}">${who}</label></span>`;
};

const resultCell = ({ result, reason, payoutId }: Item): Html => {
  const text = reason === null ? RESULTS[result] : `${RESULTS[result]}: ${reasonText(reason)}`;
  return payoutId === null ? html`${text}` : html`<a href="${url(path('/console/payouts/{id}', { id: payoutId }))}">${text}</a>`;
};

/** All affiliates of the run, with filters in the address. */
export const itemsView = (run: RunData, { data, meta }: Items, { takeOut }: RunForms, call: PageCall): Html => {
  const canTakeOut = run.status === 'draft' && takeOut.isAllowed && data.some(({ result }) => result === 'planned');
  const list = html`${table({
    caption: 'Affiliates of the run',
    rows: data,
    columns: [
      { head: 'Affiliate', cell: (item) => payeeCell(item, canTakeOut) },
      { head: 'Draft', align: 'end', cell: ({ amount, currency }) => call.format.money(amount, currency) },
      {
        head: 'Payout',
        align: 'end',
        cell: ({ paidAmount, currency }) => (paidAmount === null ? '–' : call.format.money(paidAmount, currency)),
      },
      {
        head: 'To',
        cell: ({ destination, rail }) => (rail === null ? '–' : `${destination ?? 'Unknown'} (${providerText(rail)})`),
      },
      { head: 'Result', cell: resultCell },
    ],
    empty: emptyState({
      icon: 'search',
      title: 'No affiliates with this result',
      action: html`<a class="button secondary" href="${url(runPath(run))}">Show all affiliates</a>`,
    }),
  })}${data.length > 0 && pager(call, meta, data.length)}`;
  const options = Object.entries(RESULTS).map(([value, label]) => ({ value, label }));
  return html`<h2>Affiliates</h2>${filters(call, [{ name: 'result', label: 'Result', options }])}<div>${
    canTakeOut || takeOut.isSent ? takeOut.render({ submit: 'Remove selected', content: list, tone: 'danger' }) : list
  }</div>`;
};
