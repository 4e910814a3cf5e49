import { buttonLink } from '../../components/blocks.ts';
import { hidden } from '../../components/fields.ts';
import { attributes, type Html, html } from '../../html.ts';
import type { FreshCheck } from '../../mount-page.ts';
import { form, HOME, type PageCall, page, redirect, type View } from '../../page.ts';
import { ownPath, url } from '../../url.ts';
import { passkeysPathOf } from './passkeys.ts';
import { codeField, formOf, passkeyForm, problemWith, readPending } from './proof-forms.ts';

const PLACES = {
  merchant: { at: '/console/confirm', home: HOME.merchant, passkeys: passkeysPathOf('merchant') },
  affiliate: { at: '/portal/confirm', home: HOME.affiliate, passkeys: passkeysPathOf('affiliate') },
} as const;

const startFields = { pending: hidden() };
const finishFields = { pending: hidden(), challengeId: hidden(), response: hidden() };
const codeFields = { code: codeField, signInId: hidden(), pending: hidden() };

type Call = Pick<PageCall, 'texts' | 'format' | 'path'>;

/** Picks the place by the pages that the person is on. */
const placeOf = ({ path }: Call) => PLACES[path.startsWith(HOME.affiliate) ? 'affiliate' : 'merchant'];

const codeView = (call: Call, values: { signInId: string; pending: string }, problem?: string): View => ({
  title: call.texts.signIn.confirmTitle,
  ...(problem === undefined ? {} : { status: 422 }),
  content: html`<p>${call.texts.signIn.codeSent}</p>${formOf(call, {
    name: 'code',
    action: placeOf(call).at,
    fields: codeFields,
    values,
    problem: problem === undefined ? undefined : { field: 'code', message: problem },
  }).render({ submit: call.texts.signIn.confirm })}`,
});

/** Sends the pending form again unchanged: it has had no effect yet. After a passkey, a script sends it, as nothing is left to decide. */
const confirmed = (call: Call, written: string, { leadsOn = false } = {}): View => {
  const pending = readPending(written);
  const inputs = pending?.fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
  return {
    title: call.texts.signIn.confirmed,
    content: pending
      ? html`<form method="post" action="${url(ownPath(pending.action, placeOf(call).home))}"${attributes({ 'data-lead-on': leadsOn })}>${inputs}<button class="primary">${call.texts.signIn.goOn}</button></form>`
      : html`<p>${buttonLink(placeOf(call).home, call.texts.signIn.goOn)}</p>`,
  };
};

/** Where people prove again who they are. It is reached from a form that needs it, and leads back there. */
const confirmPageOf = (audience: keyof typeof PLACES) =>
  page({
    path: PLACES[audience].at,
    audience,
    uses: ['listPasskeys'],
    forms: {
      passkey: form({
        fields: startFields,
        uses: ['startPasskeyCheck'],
        async submit(call, { pending }) {
          const { challengeId, options } = (await call.call('startPasskeyCheck')).data;
          const content = passkeyForm(call, {
            kind: 'get',
            name: 'finish',
            action: placeOf(call).at,
            fields: finishFields,
            values: { pending, challengeId, response: '' },
            options,
            submit: call.texts.signIn.usePasskey,
            leadsOn: true,
          });
          return { title: call.texts.signIn.confirmTitle, content };
        },
      }),
      finish: form({
        fields: finishFields,
        uses: ['confirmByPasskey'],
        async submit(call, { pending, challengeId, response }) {
          const result = await call.attempt('confirmByPasskey', { body: { challengeId, response } });
          if ('error' in result)
            return freshCheckView(call, pending, { needs: 'passkey', hasPasskey: true }, problemWith(response, call.texts));
          return confirmed(call, pending, { leadsOn: true });
        },
      }),
      mail: form({
        fields: startFields,
        uses: ['startCodeCheck'],
        async submit(call, { pending }) {
          const { data } = await call.call('startCodeCheck');
          return codeView(call, { signInId: data.id, pending });
        },
      }),
      code: form({
        fields: codeFields,
        uses: ['confirmByCode'],
        async submit(call, { code, signInId, pending }) {
          const result = await call.attempt('confirmByCode', { body: { code, signInId } });
          if ('error' in result) return codeView(call, { signInId, pending }, call.texts.signIn.wrongCode);
          return confirmed(call, pending);
        },
      }),
    },
    view: () => redirect(PLACES[audience].home),
  });

export const confirmPage = confirmPageOf('merchant');
export const portalConfirmPage = confirmPageOf('affiliate');

const freshCheckView = (
  call: Call,
  pending: string,
  { needs, hasPasskey }: { needs: unknown; hasPasskey: unknown },
  problem?: string,
): View => {
  const { signIn } = call.texts;
  const start = (name: 'passkey' | 'mail', submit: string): Html =>
    formOf(call, {
      name,
      action: placeOf(call).at,
      fields: startFields,
      values: { pending },
      problem: problem === undefined ? undefined : { field: null, message: problem },
    }).render({ submit, leadsOn: name === 'passkey' && problem === undefined });
  const next = () => {
    if (needs === 'code') return html`<p>${signIn.confirmByCode}</p>${start('mail', signIn.mailCode)}`;
    if (hasPasskey === true) return html`<p>${signIn.confirmByPasskey}</p>${start('passkey', signIn.usePasskey)}`;
    return html`<p>${signIn.passkeyNeeded}</p><p>${buttonLink(placeOf(call).passkeys, signIn.addPasskey, 'primary')}</p>`;
  };
  return { title: signIn.confirmTitle, status: problem === undefined ? 403 : 422, content: next() };
};

/** Shown in place of what a form would have done. */
export const freshCheck: FreshCheck = (call, pending, details) =>
  freshCheckView(call, JSON.stringify(pending), { needs: details['needs'], hasPasskey: details['hasPasskey'] });
