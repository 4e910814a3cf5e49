import { FORM_RAILS } from '../../../../contracts/account-forms.ts';
import { PAYOUT_METHODS } from '../../../../contracts/affiliates.ts';
import { isPaidFromMerchant, isRail, type Rail } from '../../../../contracts/rails.ts';
import { ABOUT_RAILS } from '../../../../texts/about-rails.merchant.en.ts';
import { badge, buttonLink } from '../../../components/blocks.ts';
import { radios } from '../../../components/choices.ts';
import { hidden, type Option } from '../../../components/fields.ts';
import type { FormView } from '../../../components/form.ts';
import { type Html, html } from '../../../html.ts';
import { form, type PageCall, page, redirect } from '../../../page.ts';
import { url } from '../../../url.ts';
import { methodName } from '../../payouts/payout-method.ts';
import { settingsTabs } from '../settings-tabs.ts';
import { ACCOUNTS, accountPath } from './account-path.ts';
import { type Account, type Accounts, accountSaid } from './account-said.ts';

const fields = {
  shown: hidden(),
  paypal: radios({ label: methodName('paypal'), path: 'payoutRails.paypal', required: true }),
  bank_transfer: radios({ label: methodName('bank_transfer'), path: 'payoutRails.bank_transfer', required: true }),
};

const shownOf = ({ methods }: Accounts): string =>
  String(new URLSearchParams(Object.fromEntries(methods.map(({ method, rail }) => [method, rail]))));

const choice = form({
  fields,
  uses: ['updateMerchant'],
  async submit(call, { shown, ...chosen }) {
    // What somebody else changed since the page was opened is not set back.
    const before = new URLSearchParams(shown);
    const changed = PAYOUT_METHODS.filter((method) => chosen[method] !== before.get(method));
    if (changed.length === 0) return redirect(call.path, { flash: 'Nothing changed' });
    const payoutRails = Object.fromEntries(changed.map((method) => [method, chosen[method]]));
    await call.call('updateMerchant', { body: { payoutRails } });
    return redirect(call.path, { flash: 'Saved. It applies to new payouts; existing ones keep their provider.' });
  },
});

const accountOf = ({ accounts }: Accounts, rail: string): Account | null =>
  accounts.find((account) => account.isCurrent && account.rail === rail) ?? null;

const railView = (rail: Rail, account: Account | null, { format }: PageCall): Html => {
  const { name, account: own, what, needs, guide } = ABOUT_RAILS[rail];
  const { label, tone, text, next } = accountSaid(rail, account);
  const href = accountPath(rail);
  const more = guide === null ? null : html` <a href="${url(`/docs/guides/${guide}.md`)}" target="_blank">Read the guide</a>`;
  const about = html`<p>${what} ${needs}${more}</p>`;
  const state = account && html`<p>${text}${account.held && html` Since ${format.time(account.held.since)}.`} ${next}</p>`;
  return html`<section class="card"><h2>${name} ${badge(label, tone)}</h2>${about}${state}<p>${account ? buttonLink(href, `Manage ${name}`) : buttonLink(href, `Connect ${own}`, 'primary')}</p></section>`;
};

const optionHint = (rail: Rail, data: Accounts): string => {
  const { what } = ABOUT_RAILS[rail];
  if (!isPaidFromMerchant(rail) || accountOf(data, rail)) return what;
  return 'Connect an account first. Until then, payouts by this method are refused.';
};

const optionsOf = (method: Accounts['methods'][number], data: Accounts): Option[] =>
  method.options.flatMap(({ rail }) =>
    isRail(rail) ? [{ value: rail, label: ABOUT_RAILS[rail].name, hint: optionHint(rail, data) }] : [],
  );

const choiceView = (data: Accounts, view: FormView<typeof fields>): Html => {
  const current = Object.fromEntries(data.methods.map(({ method, rail }) => [method, rail]));
  const filled = view.fill({ ...current, shown: shownOf(data) });
  const explained = html`<p>A change applies to new payouts. Payouts that exist keep their provider. Affiliates who connected a Stripe account to your company are paid there, whatever you choose here.</p>`;
  if (!view.isAllowed) {
    const lines = data.methods.map(
      ({ method, rail, label }) => html`<li>${methodName(method)}: ${isRail(rail) ? ABOUT_RAILS[rail].name : label}</li>`,
    );
    return html`${explained}<ul>${lines}</ul>`;
  }
  const content = [
    filled.field('shown'),
    ...data.methods.flatMap((method) =>
      method.method === 'paypal' || method.method === 'bank_transfer'
        ? [filled.field(method.method, { options: optionsOf(method, data) })]
        : [],
    ),
  ];
  return html`${explained}<div class="card">${filled.render({ submit: 'Save', content })}</div>`;
};

/** Accounts at providers and banks that payouts are paid from, and which provider pays each payout method. */
export const payoutAccountsPage = page({
  path: ACCOUNTS,
  audience: 'merchant',
  below: '/console/settings',
  uses: ['getRailAccounts'],
  forms: { choice },
  async view(call, forms) {
    const { data } = await call.call('getRailAccounts');
    const shown = FORM_RAILS.filter(
      (rail) => accountOf(data, rail) !== null || data.rails.some((offered) => offered.rail === rail),
    );
    return {
      title: 'Payout accounts',
      content: html`${settingsTabs(call as PageCall)}<p>Connect your company's own account at a provider, and Tributary pays affiliates from it. Without one, your team pays and records each payment.</p>${shown.map((rail) => railView(rail, accountOf(data, rail), call as PageCall))}<section id="methods"><h2>Who pays each payout method</h2>${choiceView(data, forms.choice)}</section>`,
    };
  },
});
