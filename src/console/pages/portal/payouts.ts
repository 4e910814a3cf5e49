import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import { badge, emptyState } from '../../components/blocks.ts';
import { type Column, pager, table } from '../../components/table.ts';
import { attributes, type Html, html } from '../../html.ts';
import { queryOf } from '../../list-query.ts';
import { type PageCall, page, redirectToSigned } from '../../page.ts';
import type { Language, Texts } from '../../texts/texts.ts';
import { path, url } from '../../url.ts';
import { myPayoutSaid } from './said.ts';

type MyPayout = OperationSuccess<'listMyPayouts'>['data'][number];

const stateCell = ({ situation }: MyPayout, language: Language): Html => {
  const { label, tone, text, next } = myPayoutSaid(situation, language);
  if (situation.state === 'paid') return badge(label, tone);
  return html`<span>${badge(label, tone)} ${text}${next !== null && html` ${next}`}</span>`;
};

/** The columns that need no other page. */
export const payoutColumns = ({
  texts,
  format,
  language,
}: Pick<PageCall, 'texts' | 'format' | 'language'>): Column<MyPayout>[] => [
  { head: texts.portal.reference, cell: ({ paymentReference }) => paymentReference },
  { head: texts.portal.amount, align: 'end', cell: ({ amount, currency }) => format.money(amount, currency) },
  {
    head: texts.portal.state,
    cell: (payout) => stateCell(payout, language),
  },
  { head: texts.portal.paid, cell: ({ paidOn }) => (paidOn === null ? '–' : format.day(paidOn)) },
];

export const noPayouts = ({ portal }: Texts): Html =>
  emptyState({ icon: 'money', title: portal.noPayouts, text: portal.nothingYet });

export const myPayoutsPage = page({
  path: '/portal/payouts',
  audience: 'affiliate',
  navigation: { label: (texts) => texts.portal.payouts, icon: 'money' },
  uses: ['listMyPayouts'],
  async view(call) {
    const { texts, format } = call;
    const { data, meta } = await call.call('listMyPayouts', { query: queryOf(call, ['cursor', 'limit']) });
    return {
      title: texts.portal.payouts,
      content: html`${table({
        caption: texts.portal.payouts,
        rows: data,
        empty: noPayouts(texts),
        columns: [
          {
            head: texts.portal.date,
            cell: ({ id, createdAt }) =>
              html`<a href="${url(path('/portal/payouts/{id}', { id }))}">${format.date(createdAt)}</a>`,
          },
          ...payoutColumns(call),
          {
            head: texts.portal.remittance,
            cell: ({ id, status }) =>
              status === 'completed'
                ? html`<a href="${url(path('/portal/payouts/{id}/remittance', { id }))}"${attributes({ 'hx-boost': 'false' })}>${texts.portal.remittance}</a>`
                : '–',
          },
        ],
      })}${data.length > 0 && pager(call, meta, data.length)}`,
    };
  },
});

export const myPayoutPage = page({
  path: '/portal/payouts/{id}',
  audience: 'affiliate',
  below: '/portal/payouts',
  uses: ['listMyPayoutItems'],
  async view(call) {
    const { texts, format } = call;
    const { data, meta } = await call.call('listMyPayoutItems', {
      params: { id: call.param('id') },
      query: queryOf(call, ['cursor', 'limit']),
    });
    return {
      title: texts.portal.whatItPays,
      content: html`${table({
        caption: texts.portal.whatItPays,
        rows: data,
        empty: emptyState({ icon: 'money', title: texts.portal.noEarnings }),
        columns: [
          { head: texts.portal.entry, cell: ({ type }) => texts.portal.types[type] },
          { head: texts.portal.amount, align: 'end', cell: ({ amount, currency }) => format.money(amount, currency) },
          {
            head: texts.portal.sale,
            align: 'end',
            cell: ({ saleAmount, currency }) => (saleAmount === null ? '–' : format.money(saleAmount, currency)),
          },
          { head: texts.portal.date, cell: ({ createdAt }) => format.date(createdAt) },
        ],
      })}${data.length > 0 && pager(call, meta, data.length)}`,
    };
  },
});

/** Redirects to the page for print, whose address is made for each visit. */
export const myRemittancePage = page({
  path: '/portal/payouts/{id}/remittance',
  audience: 'affiliate',
  below: '/portal/payouts',
  uses: ['getMyPayoutRemittance'],
  async view(call) {
    const { data } = await call.call('getMyPayoutRemittance', { params: { id: call.param('id') } });
    return redirectToSigned(data.url);
  },
});
