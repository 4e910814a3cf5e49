import { badge, emptyState } from '../../components/blocks.ts';
import { hidden, paragraph } from '../../components/fields.ts';
import { pager, table } from '../../components/table.ts';
import { type Html, html } from '../../html.ts';
import { queryOf } from '../../list-query.ts';
import { nameOf } from '../../name.ts';
import { form, type PageCall, page, redirect } from '../../page.ts';
import type { MyProgram } from './program-choice.ts';
import { applicationLabel } from './said.ts';

const AT = '/portal/programs';

const apply = form({
  fields: {
    programId: hidden(),
    message: paragraph({ label: (texts) => texts.portal.message, hint: (texts) => texts.portal.messageHint, rows: 2 }),
  },
  uses: ['applyToProgram'],
  async submit(call, { programId, message }) {
    const { data } = await call.call('applyToProgram', { params: { programId }, body: { message } });
    const { applied, waits } = call.texts.portal;
    return redirect(AT, { flash: data.status === 'auto_approved' ? applied : waits });
  },
});

const membershipOf = ({ isApproved, isBlocked }: MyProgram, { texts }: PageCall): Html => {
  const { membership } = texts.portal;
  if (isBlocked) return badge(membership.blocked, 'bad');
  return isApproved ? badge(membership.active, 'good') : badge(membership.waiting, 'warning');
};

const mineView = (call: PageCall, rows: readonly MyProgram[]): Html => {
  const { texts, format } = call;
  return table({
    caption: texts.portal.yourPrograms,
    rows,
    empty: emptyState({ icon: 'store', title: texts.portal.noPrograms }),
    columns: [
      { head: texts.portal.program, cell: ({ programName }) => nameOf(programName) },
      { head: texts.portal.company, cell: ({ companyName }) => nameOf(companyName) },
      { head: texts.portal.commission, align: 'end', cell: ({ commissionPercent }) => format.percent(commissionPercent) },
      { head: texts.portal.code, cell: ({ code }) => html`<code>${code}</code>` },
      { head: texts.portal.state, cell: (program) => membershipOf(program, call) },
    ],
  });
};

const applicationsView = async (call: PageCall<'listOwnApplications'>): Promise<Html | false> => {
  const { texts, format } = call;
  const { data } = await call.call('listOwnApplications', { query: { status: 'pending' } });
  return (
    data.length > 0 &&
    html`<h2>${texts.portal.applications}</h2>${table({
      caption: texts.portal.applications,
      rows: data,
      empty: html``,
      columns: [
        { head: texts.portal.program, cell: ({ programName }) => nameOf(programName) },
        { head: texts.portal.state, cell: () => applicationLabel('to_decide', call.language) },
        { head: texts.portal.date, cell: ({ createdAt }) => format.date(createdAt) },
      ],
    })}`
  );
};

/** Where the affiliate is a member or has applied, and what else there is to join. */
export const programsPage = page({
  path: AT,
  audience: 'affiliate',
  navigation: { label: (texts) => texts.portal.programs, icon: 'store' },
  uses: ['listMyPrograms', 'listOwnApplications', 'listMarketplacePrograms'],
  forms: { apply },
  async view(call, forms) {
    const { texts, format } = call;
    const [mine, applications, { data, meta }] = await Promise.all([
      call.call('listMyPrograms'),
      applicationsView(call),
      call.call('listMarketplacePrograms', { query: queryOf(call, ['cursor', 'limit']) }),
    ]);
    const joined = new Set(mine.data.map(({ programId }) => programId));
    const joinView = ({ programId, applicationAccess }: (typeof data)[number]) => {
      if (joined.has(programId)) return badge(texts.portal.membership.active, 'good');
      if (applicationAccess !== 'open') return texts.portal.inviteOnly;
      return html`<details><summary>${texts.portal.apply}</summary>${forms.apply.fill({ programId }).render({ submit: texts.portal.apply })}</details>`;
    };
    return {
      title: texts.portal.programs,
      content: html`<h2>${texts.portal.yourPrograms}</h2>${mineView(call, mine.data)}${applications}<h2>${texts.portal.marketplace}</h2>${table(
        {
          caption: texts.portal.marketplace,
          rows: data,
          empty: emptyState({ icon: 'store', title: texts.portal.emptyMarketplace }),
          columns: [
            { head: texts.portal.program, cell: ({ name }) => name },
            { head: texts.portal.company, cell: ({ companyName }) => nameOf(companyName) },
            { head: texts.portal.commission, align: 'end', cell: ({ commissionPercent }) => format.percent(commissionPercent) },
            { head: texts.portal.apply, cell: joinView },
          ],
        },
      )}${data.length > 0 && pager(call, meta, data.length)}`,
    };
  },
});
