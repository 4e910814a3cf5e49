import { hidden } from '../../components/fields.ts';
import { html } from '../../html.ts';
import { form, page, redirect } from '../../page.ts';
import { rejected } from './started.ts';

/** For whoever has the mail about a replacement. Programs that look through mails open links: opening this one changes nothing. */
export const keepPasskeysPage = page({
  path: '/sign-in/keep-passkeys',
  audience: 'public',
  uses: [],
  forms: {
    main: form({
      fields: { token: hidden() },
      uses: ['stopPasskeyReplacement'],
      async submit(call, { token }) {
        const { signIn } = call.texts;
        const result = await call.attempt('stopPasskeyReplacement', { body: { token } });
        return 'error' in result
          ? rejected('/sign-in', signIn.keepingEnded)
          : redirect('/sign-in', { flash: signIn.passkeysKept });
      },
    }),
  },
  view: ({ texts, query }, { main }) => ({
    title: texts.signIn.keepTitle,
    content: html`<p>${texts.signIn.keepText}</p>${main.fill({ token: query['token'] ?? '' }).render({ submit: texts.signIn.keepPasskeys })}`,
  }),
});
