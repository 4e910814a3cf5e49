import { PAYOUT_METHODS, type PayoutMethod } from '../../../contracts/affiliates.ts';
import { notice } from '../../components/blocks.ts';
import { radios } from '../../components/choices.ts';
import { text } from '../../components/fields.ts';
import { html } from '../../html.ts';
import { form, page, redirect } from '../../page.ts';

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

export const payoutDetailsPage = page({
  path: AT,
  audience: 'affiliate',
  navigation: { label: (texts) => texts.portal.details, icon: 'person' },
  uses: ['getPayoutInfo'],
  forms: { main, confirm },
  async view(call, forms) {
    const { portal } = call.texts;
    const { data } = await call.call('getPayoutInfo');
    const filled = forms.main.fill({
      payoutMethod: data.payoutMethod ?? undefined,
      paypalEmail: data.paypalEmail ?? undefined,
      bankAccountHolder: data.bankAccountHolder ?? undefined,
      bankBic: data.bankBic ?? undefined,
    } as Parameters<typeof forms.main.fill>[0]);
    const options = PAYOUT_METHODS.map((value) => ({ value, label: portal.methods[value] }));
    const hint = data.bankIban === null ? undefined : portal.ibanKept(data.bankIban);
    const content = html`${filled.field('payoutMethod', { options })}${filled.field('paypalEmail')}${filled.field('bankAccountHolder')}${filled.field('bankIban', hint === undefined ? {} : { hint })}${filled.field('bankBic')}`;
    return {
      title: portal.details,
      content: html`${
        data.detailsRejected !== null &&
        notice(
          html`<p>${portal.rejected}</p>${forms.confirm.render({ submit: portal.confirmDetails, isInline: true })}`,
          'warning',
        )
      }<p>${portal.detailsNote}</p>${forms.main.isAllowed && filled.render({ submit: portal.save, content })}`,
    };
  },
});
