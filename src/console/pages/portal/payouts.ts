import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import { badge } from '../../components/blocks.ts';
import { attributes, type Html, html } from '../../html.ts';
import { list, SIZES } from '../../list.ts';
import { listPage } from '../../list-page.ts';
import { type PageCall, page, redirectToSigned } from '../../page.ts';
import type { Language } from '../../texts/texts.ts';
import { path, url } from '../../url.ts';
import { myPayoutSaid } from './said.ts';

type MyPayout = OperationSuccess<'listMyPayouts'>['data'][number];

const stateCell = ({ situation }: MyPayout, language: Language): Html => {
  const { label, tone, text, next } = myPayoutSaid(situation, language);
  if (situation.state === 'paid') return badge(label, tone);
  return html`<span>${badge(label, tone)} ${text}${next !== null && html` ${next}`}</span>`;
};

const statementCell = ({ id, status }: MyPayout, { texts }: Pick<PageCall, 'texts'>): Html | string =>
  status === 'completed'
    ? html`<a href="${url(path('/portal/payouts/{id}/remittance', { id }))}"${attributes({ 'hx-boost': 'false' })}>${texts.portal.remittance}</a>`
    : '–';

/** `isWhole`: with links to other pages, which an embedded one does not have. */
export const myPayoutsList = (isWhole: boolean) =>
  list({
    id: 'my-payouts',
    operation: 'listMyPayouts',
    caption: ({ texts }) => texts.portal.payouts,
    ...(isWhole && { href: ({ id }: MyPayout) => path('/portal/payouts/{id}', { id }) }),
    sizes: isWhole ? SIZES : [25],
    columns: (call) => {
      const { texts, format, language } = call;
      return [
        { id: 'date', head: texts.portal.date, cell: ({ createdAt }) => format.date(createdAt) },
        { id: 'reference', head: texts.portal.reference, cell: ({ paymentReference }) => paymentReference },
        { id: 'amount', head: texts.portal.amount, align: 'end', cell: ({ amount, currency }) => format.money(amount, currency) },
        { id: 'state', head: texts.portal.state, cell: (payout) => stateCell(payout, language) },
        { id: 'paid', head: texts.portal.paid, cell: ({ paidOn }) => (paidOn === null ? '–' : format.day(paidOn)) },
        ...(isWhole
          ? [{ id: 'statement', head: texts.portal.remittance, cell: (payout: MyPayout) => statementCell(payout, call) }]
          : []),
      ];
    },
    empty: ({ texts }) => ({ icon: 'money', title: texts.portal.noPayouts, text: texts.portal.nothingYet }),
  });

export const myPayoutsPage = listPage({
  list: myPayoutsList(true),
  path: '/portal/payouts',
  audience: 'affiliate',
  navigation: { label: (texts) => texts.portal.payouts, icon: 'money' },
  title: ({ texts }) => texts.portal.payouts,
});

const whatItPays = list({
  id: 'my-items',
  operation: 'listMyPayoutItems',
  params: (call) => ({ id: call.param('id') }),
  caption: ({ texts }) => texts.portal.whatItPays,
  sizes: SIZES,
  columns: ({ texts, format }) => [
    { id: 'entry', head: texts.portal.entry, cell: ({ type }) => texts.portal.types[type] },
    { id: 'amount', head: texts.portal.amount, align: 'end', cell: ({ amount, currency }) => format.money(amount, currency) },
    {
      id: 'sale',
      head: texts.portal.sale,
      align: 'end',
      cell: ({ saleAmount, currency }) => (saleAmount === null ? '–' : format.money(saleAmount, currency)),
    },
    { id: 'date', head: texts.portal.date, cell: ({ createdAt }) => format.date(createdAt) },
  ],
  empty: ({ texts }) => ({ icon: 'money', title: texts.portal.noEarnings }),
});

export const myPayoutPage = listPage({
  list: whatItPays,
  path: '/portal/payouts/{id}',
  audience: 'affiliate',
  below: '/portal/payouts',
  title: ({ texts }) => texts.portal.whatItPays,
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
