import { badge, buttonLink } from '../../components/blocks.ts';
import { hidden } from '../../components/fields.ts';
import { table } from '../../components/table.ts';
import { html } from '../../html.ts';
import { nameOf } from '../../name.ts';
import { form, page, redirect } from '../../page.ts';
import { COMPANIES_PATH } from '../../respond.ts';
import { roleLabel } from '../settings/roles.ts';

export const companiesPage = page({
  path: COMPANIES_PATH,
  audience: 'merchant',
  uses: ['listCompanies'],
  mayUse: ['getSignUp'],
  forms: {
    choose: form({
      fields: { merchantId: hidden() },
      uses: ['chooseCompany'],
      async submit(call, { merchantId }) {
        const { data } = await call.call('chooseCompany', { body: { merchantId } });
        return redirect('/console', { flash: `You act for ${data.companyName} now.` });
      },
    }),
  },
  async view(call, { choose }) {
    const { data } = await call.call('listCompanies');
    const isOpen = !('error' in (await call.attempt('getSignUp')));
    return {
      title: 'Your companies',
      actions: isOpen && buttonLink(`${COMPANIES_PATH}/new`, 'Another company'),
      content: html`${call.person?.affiliate && html`<p><a href="/portal">Your own earnings as an affiliate</a></p>`}${table({
        caption: 'Your companies',
        rows: data,
        empty: html``,
        columns: [
          { head: 'Company', cell: ({ companyName }) => nameOf(companyName) },
          { head: 'Your role', cell: ({ role }) => roleLabel(role) },
          {
            head: 'Act for it',
            cell: ({ merchantId, isCurrent }) =>
              isCurrent
                ? badge('You act for it', 'good')
                : choose.fill({ merchantId }).render({ submit: 'Act for it', isInline: true }),
          },
        ],
      })}`,
    };
  },
});
