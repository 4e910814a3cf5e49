import { badge, emptyState } from '../../components/blocks.ts';
import { pager, table } from '../../components/table.ts';
import { html } from '../../html.ts';
import { queryOf } from '../../list-query.ts';
import { page } from '../../page.ts';
import { chosenProgram, withoutPrograms } from './program-choice.ts';

const TONES = {
  pending: 'neutral',
  approved: 'good',
  paid: 'good',
  rejected: 'bad',
  refunded: 'warning',
  partially_refunded: 'warning',
} as const;

export const earningsPage = page({
  path: '/portal/earnings',
  audience: 'affiliate',
  navigation: { label: (texts) => texts.portal.earnings, icon: 'chart' },
  uses: ['listMyPrograms', 'listProgramEarnings'],
  async view(call) {
    const { texts, format } = call;
    const title = texts.portal.earnings;
    const program = await chosenProgram(call);
    if (!program) return { title, content: withoutPrograms(call) };
    const { data, meta } = await call.call('listProgramEarnings', {
      params: { id: program.programId },
      query: queryOf(call, ['cursor', 'limit']),
    });
    return {
      title,
      ...program.branding,
      content: html`${program.choice}${table({
        caption: title,
        rows: data,
        empty: emptyState({ icon: 'chart', title: texts.portal.noEarnings, text: texts.portal.noLinksText }),
        columns: [
          { head: texts.portal.entry, cell: ({ type }) => texts.portal.types[type] },
          { head: texts.portal.amount, align: 'end', cell: ({ amount, currency }) => format.money(amount, currency) },
          { head: texts.portal.state, cell: ({ status }) => badge(texts.portal.earningStates[status], TONES[status]) },
          {
            head: texts.portal.sale,
            align: 'end',
            cell: ({ saleAmount, currency }) => (saleAmount === null ? '–' : format.money(saleAmount, currency)),
          },
          {
            head: texts.portal.available,
            cell: ({ availableAt }) => (availableAt === null ? '–' : format.date(availableAt)),
          },
          { head: texts.portal.date, cell: ({ createdAt }) => format.date(createdAt) },
        ],
      })}${data.length > 0 && pager(call, meta, data.length)}`,
    };
  },
});
