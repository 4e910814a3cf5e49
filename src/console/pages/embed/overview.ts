import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import { table } from '../../components/table.ts';
import { type Html, html } from '../../html.ts';
import { nameOf } from '../../name.ts';
import { type PageCall, page } from '../../page.ts';
import { earningFigures } from '../portal/overview.ts';
import { embedPath, embedTabs } from './embed-tabs.ts';

type MyProgram = OperationSuccess<'listMyPrograms'>['data'][number];

const programsTable = ({ texts: { portal }, format }: PageCall, rows: readonly MyProgram[]): Html =>
  table({
    caption: portal.yourPrograms,
    rows,
    empty: html``,
    columns: [
      { head: portal.program, cell: ({ programName }) => nameOf(programName) },
      { head: portal.commission, align: 'end', cell: ({ commissionPercent }) => format.percent(commissionPercent) },
      { head: portal.clicks, align: 'end', cell: ({ totalClicks }) => format.number(totalClicks) },
      { head: portal.earned, align: 'end', cell: ({ totalCommission, currency }) => format.money(totalCommission, currency) },
    ],
  });

/** What was earned with one merchant, and in which programs. */
export const embedPage = page({
  path: '/embed',
  audience: 'embed',
  uses: ['getMyEarnings', 'listMyPrograms'],
  async view(call) {
    const { portal } = call.texts;
    const [earnings, programs] = await Promise.all([call.call('getMyEarnings'), call.call('listMyPrograms')]);
    const figures = earningFigures(call, earnings.data.byCurrency, { payouts: embedPath(call, 'payouts') });
    return {
      title: portal.overview,
      content: html`${embedTabs(call, 'overview')}${figures}<h2>${portal.yourPrograms}</h2>${programsTable(call, programs.data)}`,
    };
  },
});
