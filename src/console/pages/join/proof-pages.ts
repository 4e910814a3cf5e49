import type { OperationId } from '../../../api/pipeline/call-operation.ts';
import type { Brand } from '../../brand.ts';
import { buttonLink } from '../../components/blocks.ts';
import { hidden } from '../../components/fields.ts';
import { html } from '../../html.ts';
import { form, type PageCall, page } from '../../page.ts';
import type { OperationFailed } from '../../page-call.ts';
import type { Texts } from '../../texts/texts.ts';
import { path } from '../../url.ts';
import { codeField } from '../sign-in/proof-forms.ts';
import { deviceOf, rejected, started, whoSignsIn } from '../sign-in/started.ts';

interface ProofPagesOf {
  /** Where people ask for the mail. The pages for the code and the link are below it. */
  at: `/${string}`;
  /** The path parameter that the pages share, such as a token; null if they share none. */
  param: string | null;
  /** Where people continue once they have proved their address, with the same parameter. */
  next: `/${string}`;
  /** The operations that use up the code and the link. */
  by: { code: 'signUpByCode' | 'createCompanyByCode'; link: 'signUpByLink' | 'createCompanyByLink' };
  /** The operation without which the pages are not found. */
  needs?: 'getSignUp';
  /** What follows from the link. */
  explain(texts: Texts): string;
  /** What `brand` calls. Default: nothing. */
  uses?: readonly OperationId[];
  /** Brand of the program that they join. */
  brand?(call: PageCall): Promise<Brand>;
}

/** The pages on which the address of a mail is proved: by its code, and by its link. */
export const proofPagesOf = ({ at, param, next, by, needs, explain, uses = [], brand }: ProofPagesOf) => {
  const to = (call: PageCall, template: `/${string}`, query = {}): string =>
    path(template, param === null ? {} : { [param]: call.param(param) }, query);
  const needed: readonly 'getSignUp'[] = needs === undefined ? [] : [needs];
  const open = (call: PageCall) => Promise.all(needed.map((id) => call.call(id)));
  const branding = async (call: PageCall): Promise<{ brand?: Brand }> => (brand ? { brand: await brand(call) } : {});
  /** A proof that was right may be of no use for another reason. */
  const problemIn = ({ status, error }: Pick<OperationFailed, 'status' | 'error'>, wrong: string): string =>
    status === 409 ? error.message : wrong;

  const code = page({
    path: `${at}/code`,
    audience: 'public',
    uses: [...needed, ...uses],
    forms: {
      main: form({
        fields: { code: codeField, signInId: hidden() },
        uses: [by.code],
        async submit(call, { code, signInId }) {
          const result = await call.attempt(by.code, { body: { code, signInId, device: deviceOf(call) } });
          if (!('error' in result)) return started(result.data, to(call, next));
          return rejected(to(call, `${at}/code`, { id: signInId }), problemIn(result, call.texts.signIn.wrongCode));
        },
      }),
    },
    async view(call, { main }) {
      await open(call);
      const { join, signIn, kit } = call.texts;
      const filled = main.fill({ signInId: call.query['id'] ?? '' });
      return {
        title: signIn.lookForMail,
        ...(await branding(call)),
        content: html`<p>${join.sent}</p>${filled.render({ submit: kit.confirm })}<p>${buttonLink(to(call, at), signIn.again)}</p>`,
      };
    },
  });

  /** Programs that look through mails open links: opening this one changes nothing. */
  const link = page({
    path: `${at}/link`,
    audience: 'public',
    uses: [...needed, ...uses, 'getSignInLink'],
    forms: {
      main: form({
        fields: { token: hidden() },
        uses: [by.link],
        async submit(call, { token }) {
          const result = await call.attempt(by.link, { body: { token, device: deviceOf(call) } });
          if (!('error' in result)) return started(result.data, to(call, next));
          return rejected(to(call, at), problemIn(result, call.texts.signIn.linkEnded));
        },
      }),
    },
    async view(call, { main }) {
      await open(call);
      const { texts, query } = call;
      const filled = main.fill({ token: query['token'] ?? '' });
      return {
        title: texts.join.confirmTitle,
        ...(await branding(call)),
        content: html`<p>${explain(texts)}</p>${await whoSignsIn(call)}${filled.render({ submit: texts.signIn.goOn })}`,
      };
    },
  });

  return { code, link };
};

/** What people who join a program use to prove their address. */
export const joiningProof = {
  by: { code: 'signUpByCode', link: 'signUpByLink' },
  explain: ({ join }: Texts): string => join.confirmText,
} as const;
