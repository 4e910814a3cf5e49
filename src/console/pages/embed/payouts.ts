import { pager, table } from '../../components/table.ts';
import { html } from '../../html.ts';
import { queryOf } from '../../list-query.ts';
import { page } from '../../page.ts';
import { noPayouts, payoutColumns } from '../portal/payouts.ts';
import { embedTabs } from './embed-tabs.ts';

export const embedPayoutsPage = page({
  path: '/embed/payouts',
  audience: 'embed',
  uses: ['listMyPayouts'],
  async view(call) {
    const { texts, format } = call;
    const { data, meta } = await call.call('listMyPayouts', { query: queryOf(call, ['cursor', 'limit']) });
    return {
      title: texts.portal.payouts,
      content: html`${embedTabs(call, 'payouts')}${table({
        caption: texts.portal.payouts,
        rows: data,
        empty: noPayouts(texts),
        columns: [{ head: texts.portal.date, cell: ({ createdAt }) => format.date(createdAt) }, ...payoutColumns(call)],
      })}${data.length > 0 && pager(call, meta, data.length)}`,
    };
  },
});
