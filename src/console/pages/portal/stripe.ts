import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import { RAILS } from '../../../contracts/rails.ts';
import { buttonLink } from '../../components/blocks.ts';
import { select } from '../../components/choices.ts';
import { hidden } from '../../components/fields.ts';
import type { FormView } from '../../components/form.ts';
import { type Html, html } from '../../html.ts';
import { form, type PageCall, redirect } from '../../page.ts';

type Connection = OperationSuccess<'listStripeConnections'>['data'][number];

const AT = '/portal/details';
const COUNTRIES = RAILS.stripe_connect.facts.countries.only;

/** Stripe is another site, so the page that follows has a link to it. */
const connectStripe = form({
  fields: { merchantId: hidden(), country: select({ label: (texts) => texts.portal.stripe.country, required: true }) },
  uses: ['createStripeConnection'],
  async submit(call, { merchantId, country }) {
    const { stripe, saved } = call.texts.portal;
    const { data } = await call.call('createStripeConnection', { body: { merchantId, country } });
    if (data.onboardingUrl === null) return redirect(AT, { flash: saved });
    return {
      title: stripe.continueTitle,
      content: html`<p>${stripe.continueNote}</p>${buttonLink(data.onboardingUrl, stripe.continueAt, 'primary')}`,
    };
  },
});

const disconnectStripe = form({
  fields: { merchantId: hidden() },
  uses: ['deleteStripeConnection'],
  async submit(call, { merchantId }) {
    await call.call('deleteStripeConnection', { params: { merchantId } });
    return redirect(AT, { flash: call.texts.portal.saved });
  },
});

export const stripeForms = { connectStripe, disconnectStripe };

interface Forms {
  connectStripe: FormView<(typeof connectStripe)['fields']>;
  disconnectStripe: FormView<(typeof disconnectStripe)['fields']>;
}

const oneOf = (connection: Connection, call: PageCall, forms: Forms): Html => {
  const { stripe } = call.texts.portal;
  const { merchantId, companyName, state, requirements, country, detailsCooldownUntil } = connection;
  const names = new Intl.DisplayNames([call.language], { type: 'region' });
  const choices = state === 'not_connected' ? COUNTRIES : COUNTRIES.filter((code) => code === country);
  const options = choices
    .map((value) => ({ value, label: names.of(value) ?? value }))
    .toSorted((a, b) => a.label.localeCompare(b.label, call.language));
  const filled = forms.connectStripe.fill(country === null ? { merchantId } : { merchantId, country });
  const missing = requirements.map((requirement) => stripe.requirements[requirement]).join(', ');
  return html`<section><h3>${companyName}</h3><p>${stripe.states[state]}</p>${
    missing !== '' && html`<p>${stripe.missing} ${missing}</p>`
  }${detailsCooldownUntil !== null && html`<p>${stripe.wait} ${call.format.date(detailsCooldownUntil)}</p>`}${
    state !== 'ready' &&
    forms.connectStripe.isAllowed &&
    filled.render({
      submit: state === 'not_connected' ? stripe.connect : stripe.goOn,
      content: filled.field('country', { options }),
    })
  }${
    state !== 'not_connected' &&
    forms.disconnectStripe.isAllowed &&
    forms.disconnectStripe.fill({ merchantId }).render({ submit: stripe.disconnect, isInline: true })
  }</section>`;
};

/** Nothing for whoever works for no company that pays through Stripe. */
export const stripeSection = (connections: readonly Connection[], call: PageCall, forms: Forms): Html | false =>
  connections.length > 0 &&
  html`<h2>${call.texts.portal.stripe.heading}</h2><p>${call.texts.portal.stripe.note}</p>${connections.map((connection) => oneOf(connection, call, forms))}`;
