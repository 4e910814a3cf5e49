import { SIGN_IN_MS } from '../../../contracts/people.ts';
import { buttonLink } from '../../components/blocks.ts';
import { hidden, text } from '../../components/fields.ts';
import { type Html, html } from '../../html.ts';
import { form, HOME, page, redirect } from '../../page.ts';
import { SESSION_COOKIE } from '../../sign-in/person-sessions.ts';
import type { Texts } from '../../texts/texts.ts';
import { path, url } from '../../url.ts';
import { codeField, passkeyForm, problemWith } from './proof-forms.ts';
import { deviceOf, rejected, started, whoSignsIn } from './started.ts';

/** Where the link of the mail leads to in the browser that asked for it. */
const NEXT_COOKIE = 'next';

const mail = () => text({ label: (texts) => texts.signIn.email, required: true, type: 'email', autocomplete: 'email' });

export const signInPage = page({
  path: '/sign-in',
  audience: 'public',
  uses: [],
  mayUse: ['getSignUp'],
  forms: {
    main: form({
      fields: { email: mail(), next: hidden() },
      uses: ['startSignIn'],
      async submit(call, { email, next }) {
        const { data } = await call.call('startSignIn', { body: { email } });
        const to = path('/sign-in/code', {}, { id: data.id, next });
        return redirect(to, { cookies: { [NEXT_COOKIE]: { value: next, maxAgeSeconds: SIGN_IN_MS / 1_000 } } });
      },
    }),
  },
  async view(call, { main }) {
    const { person, texts, query, accountUrl } = call;
    if (person?.merchant ?? person?.affiliate) return redirect(person?.merchant ? HOME.merchant : HOME.affiliate);
    const next = query['next'] ?? '';
    const submit = texts.signIn.send;
    // Passkeys belong to the name of this server, and so do companies.
    if (accountUrl !== null)
      return { title: texts.signIn.title, content: html`<p>${texts.signIn.byMail}</p>${main.fill({ next }).render({ submit })}` };
    const isOpen = !('error' in (await call.attempt('getSignUp')));
    return {
      title: texts.signIn.title,
      content: html`<p>${texts.signIn.byMail}</p>${main.fill({ next }).render({ submit })}<p><a href="${url(path('/sign-in/passkey', {}, { next }))}">${texts.signIn.usePasskey}</a></p>${isOpen && html`<p><a href="/sign-up">${texts.signUp.open}</a></p>`}`,
    };
  },
});

const passkeyFields = { challengeId: hidden(), response: hidden(), next: hidden() };

/** For those who have no passkey, or not with them. */
const byMailInstead = ({ signIn }: Texts, next: string | undefined): Html =>
  html`<p><a href="${url(path('/sign-in', {}, { next }))}">${signIn.byMailInstead}</a></p>`;

/** The device says whose passkey it is: no address is asked for. */
export const signInPasskeyPage = page({
  path: '/sign-in/passkey',
  audience: 'public',
  uses: [],
  forms: {
    start: form({
      fields: { next: hidden() },
      uses: ['startPasskeySignIn'],
      async submit(call, { next }) {
        const { challengeId, options } = (await call.call('startPasskeySignIn')).data;
        const content = passkeyForm(call, {
          kind: 'get',
          name: 'main',
          action: '/sign-in/passkey',
          fields: passkeyFields,
          values: { challengeId, response: '', next },
          options,
          submit: call.texts.signIn.usePasskey,
        });
        return { title: call.texts.signIn.title, content: html`${content}${byMailInstead(call.texts, next)}` };
      },
    }),
    main: form({
      fields: passkeyFields,
      uses: ['signInByPasskey'],
      async submit(call, { next, ...signed }) {
        const device = deviceOf(call);
        const result = await call.attempt('signInByPasskey', { body: { ...signed, device } });
        return 'error' in result ? rejected('/sign-in', problemWith(signed.response, call.texts)) : started(result.data, next);
      },
    }),
  },
  view: ({ texts, query }, { start }) => ({
    title: texts.signIn.title,
    content: html`${start.fill({ next: query['next'] ?? '' }).render({ submit: texts.signIn.usePasskey })}${byMailInstead(texts, query['next'])}`,
  }),
});

/** The same for every address: whether a mail was sent is not said. */
export const signInCodePage = page({
  path: '/sign-in/code',
  audience: 'public',
  uses: [],
  forms: {
    main: form({
      fields: {
        code: codeField,
        signInId: hidden(),
        next: hidden(),
      },
      uses: ['signInByCode'],
      async submit(call, { code, signInId, next }) {
        const device = deviceOf(call);
        const result = await call.attempt('signInByCode', { body: { code, signInId, device } });
        if ('error' in result) return rejected(path('/sign-in/code', {}, { id: signInId, next }), call.texts.signIn.wrongCode);
        return started(result.data, next);
      },
    }),
  },
  view({ texts, query }, { main }) {
    const filled = main.fill({ signInId: query['id'] ?? '', next: query['next'] ?? '' });
    return {
      title: texts.signIn.lookForMail,
      content: html`<p>${texts.signIn.sent}</p>${filled.render({ submit: texts.signIn.title })}<p><a href="/sign-in">${texts.signIn.again}</a></p>`,
    };
  },
});

/** Programs that look through mails open links: opening this one changes nothing. */
export const signInLinkPage = page({
  path: '/sign-in/link',
  audience: 'public',
  uses: ['getSignInLink'],
  forms: {
    main: form({
      fields: { token: hidden() },
      uses: ['signIn'],
      async submit(call, { token }) {
        const result = await call.attempt('signIn', { body: { token, device: deviceOf(call) } });
        return 'error' in result
          ? rejected('/sign-in', call.texts.signIn.linkEnded)
          : started(result.data, call.request.cookie(NEXT_COOKIE));
      },
    }),
  },
  async view(call, { main }) {
    const { texts, query } = call;
    const filled = main.fill({ token: query['token'] ?? '' });
    return {
      title: texts.signIn.title,
      content: html`${await whoSignsIn(call)}${filled.render({ submit: texts.signIn.title })}`,
    };
  },
});

const invitePath = (token: string): string => path('/sign-in/invite', {}, { token });

/** Whoever has an account signs in first: the link of an invite lasts for days. */
export const acceptInvitePage = page({
  path: '/sign-in/invite',
  audience: 'public',
  uses: ['getPersonInvite'],
  forms: {
    main: form({
      fields: {
        name: text({ label: (texts) => texts.signIn.name, required: true, autocomplete: 'name', maxLength: 100 }),
        token: hidden(),
      },
      uses: ['acceptPersonInvite'],
      async submit(call, { name, token }) {
        const result = await call.attempt('acceptPersonInvite', {
          body: { name, token, device: deviceOf(call), session: call.request.cookie(SESSION_COOKIE) },
        });
        if (!('error' in result)) return started(result.data, HOME.merchant);
        const isEnded = result.status === 404;
        if (result.status === 401) return rejected(invitePath(token), call.texts.signIn.acceptedByOther);
        return rejected(isEnded ? '/sign-in' : invitePath(token), isEnded ? call.texts.signIn.linkEnded : result.error.message);
      },
    }),
  },
  async view(call, { main }) {
    const { texts, query } = call;
    const token = query['token'] ?? '';
    const invite = await call.attempt('getPersonInvite', { query: { token } });
    if ('error' in invite) return rejected('/sign-in', texts.signIn.linkEnded);
    const { companyName, email, role, isKnown } = invite.data;
    if (isKnown && !call.person) {
      const to = path('/sign-in', {}, { next: invitePath(token) });
      return {
        title: texts.signIn.join(companyName),
        content: html`<p>${texts.signIn.invited(email, role)}</p><p>${texts.signIn.signInToAccept}</p><p>${buttonLink(to, texts.signIn.title, 'primary')}</p>`,
      };
    }
    const filled = main.fill({ token, ...(isKnown && { name: email }) });
    return {
      title: texts.signIn.join(companyName),
      content: html`<p>${texts.signIn.invited(email, role)}</p>${filled.render({ submit: texts.signIn.accept })}`,
    };
  },
});

/** Whoever has the cookie: also of a session that has ended. */
export const signOutPage = page({
  path: '/sign-out',
  audience: 'public',
  uses: [],
  forms: {
    main: form({
      fields: {},
      uses: ['signOut'],
      async submit(call) {
        const token = call.request.cookie(SESSION_COOKIE);
        if (token !== undefined) await call.attempt('signOut', { body: { token } });
        return redirect('/sign-in', { flash: call.texts.signIn.signedOut, cookies: { [SESSION_COOKIE]: null } });
      },
    }),
  },
  view: ({ texts }, { main }) => ({ title: texts.kit.signOut, content: main.render({ submit: texts.kit.signOut }) }),
});
