import { buttonLink } from '../../components/blocks.ts';
import { hidden } from '../../components/fields.ts';
import { html } from '../../html.ts';
import { form, type PageCall, page } from '../../page.ts';
import { path } from '../../url.ts';
import { codeField } from '../sign-in/proof-forms.ts';
import { deviceOf, rejected, started, whoSignsIn } from '../sign-in/started.ts';

interface ProofPagesOf {
  /** Where somebody asks for the mail. The pages of code and link are below it. */
  at: `/${string}`;
  /** What of the path they share, such as a token. */
  param: string;
  /** Where whoever has proved their address goes on, with the same parameter. */
  next: `/${string}`;
}

/** The pages on which the address of a mail is proved: by its code, and by its link. */
export const proofPagesOf = ({ at, param, next }: ProofPagesOf) => {
  const to = (call: PageCall, template: `/${string}`, query = {}): string =>
    path(template, { [param]: call.param(param) }, query);

  const code = page({
    path: `${at}/code`,
    audience: 'public',
    uses: [],
    forms: {
      main: form({
        fields: { code: codeField, signInId: hidden() },
        uses: ['signUpByCode'],
        async submit(call, { code, signInId }) {
          const result = await call.attempt('signUpByCode', { body: { code, signInId, device: deviceOf(call) } });
          if ('error' in result) return rejected(to(call, `${at}/code`, { id: signInId }), call.texts.signIn.wrongCode);
          return started(result.data, to(call, next));
        },
      }),
    },
    view(call, { main }) {
      const { join, signIn, kit } = call.texts;
      const filled = main.fill({ signInId: call.query['id'] ?? '' });
      return {
        title: signIn.lookForMail,
        content: html`<p>${join.sent}</p>${filled.render({ submit: kit.confirm })}<p>${buttonLink(to(call, at), signIn.again)}</p>`,
      };
    },
  });

  /** Programs that look through mails open links: opening this one changes nothing. */
  const link = page({
    path: `${at}/link`,
    audience: 'public',
    uses: ['getSignInLink'],
    forms: {
      main: form({
        fields: { token: hidden() },
        uses: ['signUpByLink'],
        async submit(call, { token }) {
          const result = await call.attempt('signUpByLink', { body: { token, device: deviceOf(call) } });
          if ('error' in result) return rejected(to(call, at), call.texts.signIn.linkEnded);
          return started(result.data, to(call, next));
        },
      }),
    },
    async view(call, { main }) {
      const { texts, query } = call;
      const filled = main.fill({ token: query['token'] ?? '' });
      return {
        title: texts.join.confirmTitle,
        content: html`<p>${texts.join.confirmText}</p>${await whoSignsIn(call)}${filled.render({ submit: texts.signIn.goOn })}`,
      };
    },
  });

  return { code, link };
};
