import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import { providerReason } from '../../../texts/provider-reasons.merchant.en.ts';
import type { AnyForms } from '../../actions.ts';
import { amountLines } from '../../amounts.ts';
import { buttonLink } from '../../components/blocks.ts';
import { table } from '../../components/table.ts';
import { type Html, html } from '../../html.ts';
import { columnsForm, list, SIZES, toolsOf } from '../../list.ts';
import { nameOf } from '../../name.ts';
import type { PageCall } from '../../page.ts';
import { reasonText } from '../../said.ts';
import { path, url } from '../../url.ts';
import { providerText } from '../payouts/payout-method.ts';
import type { RunForms } from './run-actions.ts';
import { type RunData, sumOf } from './run-totals.ts';

type Item = OperationSuccess<'listPayoutRunItems'>['data'][number];

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
  return table({
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
  });
};

const payeeCell = ({ affiliateId, code, email, result }: Item, canTakeOut: boolean): Html => {
  const who = html`<span>${nameOf(email)} <span class="note">${code}</span></span>`;
  if (!canTakeOut || result === 'left_out') return who;
  const id = `item-${affiliateId}`;
  return html`<span class="box"><input type="checkbox" id="${id}" name="affiliateIds" value="${affiliateId}"><label for="${id}">${who}</label></span>`;
};

const resultText = ({ result, reason, rail, railReason }: Item): Html => {
  const said = railReason !== null && rail !== null && (providerReason(rail, railReason) ?? railReason);
  return html`<span>${RESULTS[result]}${reason !== null && `: ${reasonText(reason)}`}${said !== false && html` <span class="note">${said}</span>`}</span>`;
};

const items = list({
  id: 'run-items',
  operation: 'listPayoutRunItems',
  params: (call) => ({ id: call.param('id') }),
  caption: () => 'Affiliates of the run',
  filters: [{ name: 'result', label: 'Result', options: Object.entries(RESULTS).map(([value, label]) => ({ value, label })) }],
  linked: ['reason'],
  href: ({ payoutId }) => payoutId && path('/console/payouts/{id}', { id: payoutId }),
  sizes: SIZES,
  columns: ({ format }, _rows, { takeOut }) => [
    { id: 'affiliate', head: 'Affiliate', cell: (item) => payeeCell(item, takeOut?.isAllowed === true) },
    { id: 'draft', head: 'Draft', align: 'end', cell: ({ amount, currency }) => format.money(amount, currency) },
    {
      id: 'payout',
      head: 'Payout',
      align: 'end',
      cell: ({ paidAmount, currency }) => (paidAmount === null ? '–' : format.money(paidAmount, currency)),
    },
    {
      id: 'to',
      head: 'To',
      cell: ({ destination, rail }) => (rail === null ? '–' : `${destination ?? 'Unknown'} (${providerText(rail)})`),
    },
    { id: 'result', head: 'Result', cell: resultText },
  ],
  noMatch: ({ path: at }) => ({
    icon: 'search',
    title: 'No affiliates with this result',
    action: buttonLink(at, 'Show all affiliates'),
  }),
  empty: () => ({ icon: 'people', title: 'No affiliates in this payout run' }),
});

export const runItemsForm = columnsForm(items.id);

/** All affiliates of the run. Of a draft, some can be removed. */
export const itemsView = async (run: RunData, forms: RunForms & { columns: AnyForms[string] }, call: PageCall): Promise<Html> => {
  const { takeOut, columns } = forms;
  const isDraft = run.status === 'draft';
  const shown = await items.show(call, {
    forms: isDraft ? { takeOut, columns } : { columns },
    around: (list, rows) =>
      (isDraft && takeOut.isAllowed && rows.length > 0) || takeOut.isSent
        ? html`<div>${takeOut.render({ submit: 'Remove selected', content: list, tone: 'danger' })}</div>`
        : list,
  });
  return html`${toolsOf(items.id, [shown.tools])}${shown.content}`;
};
