import { PAYOUT_METHODS, type PayoutMethod } from '../../../contracts/affiliates.ts';
import { notice } from '../../components/blocks.ts';
import { radios } from '../../components/choices.ts';
import { hidden, text } from '../../components/fields.ts';
import { type Html, html } from '../../html.ts';
import { form, type PageCall, page, redirect } from '../../page.ts';
import { path } from '../../url.ts';
import { unpayableText } from './said.ts';
import { stripeForms, stripeSection } from './stripe.ts';

const AT = '/portal/details';

/** The IBAN is never shown in full, so an empty field leaves it as it is. */
const main = form({
  fields: {
    payoutMethod: radios<PayoutMethod, true>({ label: (texts) => texts.portal.method, required: true }),
    paypalEmail: text({ label: (texts) => texts.portal.paypalEmail, type: 'email', autocomplete: 'email' }),
    bankAccountHolder: text({ label: (texts) => texts.portal.holder, autocomplete: 'name', maxLength: 140 }),
    bankIban: text({ label: (texts) => texts.portal.iban }),
    bankBic: text({ label: (texts) => texts.portal.bic }),
  },
  uses: ['updatePayoutInfo'],
  async submit(call, { payoutMethod, paypalEmail = null, bankAccountHolder = null, bankIban, bankBic = null }) {
    await call.call('updatePayoutInfo', { body: { payoutMethod, paypalEmail, bankAccountHolder, bankIban, bankBic } });
    return redirect(AT, { flash: call.texts.portal.saved });
  },
});

const confirm = form({
  fields: {},
  uses: ['confirmPayoutInfo'],
  async submit(call) {
    await call.call('confirmPayoutInfo');
    return redirect(AT, { flash: call.texts.portal.saved });
  },
});

export const detailsWait = (until: string, { texts: { portal }, format }: PageCall): Html =>
  notice(html`<p>${portal.detailsWait} ${format.date(until)}. ${portal.notYou}</p>`, 'warning');

export const payoutDetailsPage = page({
  path: AT,
  audience: 'affiliate',
  navigation: { label: (texts) => texts.portal.details, icon: 'person' },
  uses: ['getPayoutInfo', 'listStripeConnections'],
  forms: { main, confirm, ...stripeForms },
  async view(call, forms) {
    const { portal } = call.texts;
    const { data } = await call.call('getPayoutInfo');
    const { data: connections } = await call.call('listStripeConnections');
    const filled = forms.main.fill({
      payoutMethod: data.payoutMethod ?? undefined,
      paypalEmail: data.paypalEmail ?? undefined,
      bankAccountHolder: data.bankAccountHolder ?? undefined,
      bankBic: data.bankBic ?? undefined,
    } as Parameters<typeof forms.main.fill>[0]);
    const options = PAYOUT_METHODS.map((value) => ({ value, label: portal.methods[value] }));
    const hint = data.bankIban === null ? {} : { hint: portal.ibanKept(data.bankIban) };
    const forBank = { optional: portal.forBankTransfer };
    const content = html`${filled.field('payoutMethod', { options })}${filled.field('paypalEmail', { optional: portal.forPaypal })}${filled.field('bankAccountHolder', forBank)}${filled.field('bankIban', { ...hint, ...forBank })}${filled.field('bankBic')}`;
    return {
      title: portal.details,
      content: html`${
        data.detailsRejected !== null &&
        notice(
          html`<p>${unpayableText('DETAILS_REJECTED', call.language)}</p>${forms.confirm.render({ submit: portal.confirmDetails, isInline: true })}`,
          'warning',
        )
      }${
        data.detailsCooldownUntil !== null && detailsWait(data.detailsCooldownUntil, call)
      }<p>${portal.detailsNote}</p>${forms.main.isAllowed && filled.render({ submit: portal.save, content })}${stripeSection(connections, call, forms)}`,
    };
  },
});

/** For whoever has the mail about a change. Programs that look through mails open links: opening this one changes nothing. */
export const restoreDetailsPage = page({
  path: '/payout-details/restore',
  audience: 'public',
  uses: [],
  forms: {
    main: form({
      fields: { token: hidden() },
      uses: ['restorePayoutInfo'],
      async submit(call, { token }) {
        const { signIn, portal } = call.texts;
        const result = await call.attempt('restorePayoutInfo', { body: { token } });
        return redirect(
          path('/sign-in', {}, { next: AT }),
          'error' in result ? { flash: signIn.linkEnded, tone: 'bad' } : { flash: portal.detailsRestored },
        );
      },
    }),
  },
  view: ({ texts, query }, { main }) => ({
    title: texts.portal.restoreDetails,
    content: html`<p>${texts.portal.restoreNote}</p>${main.fill({ token: query['token'] ?? '' }).render({ submit: texts.portal.restoreDetails })}`,
  }),
});
