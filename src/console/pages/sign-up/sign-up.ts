import { buttonLink } from '../../components/blocks.ts';
import { text } from '../../components/fields.ts';
import { html } from '../../html.ts';
import { form, HOME, page, redirect } from '../../page.ts';
import { COMPANIES_PATH } from '../../respond.ts';
import { path } from '../../url.ts';
import { joinerFields } from '../join/join.ts';
import { proofPagesOf } from '../join/proof-pages.ts';

export const SIGN_UP_PATH = '/sign-up';

/** For everybody, where companies open accounts themselves. The same for every address. */
export const signUpPage = page({
  path: SIGN_UP_PATH,
  audience: 'public',
  uses: ['getSignUp'],
  forms: {
    main: form({
      fields: {
        companyName: text({
          label: ({ signUp }) => signUp.company,
          required: true,
          autocomplete: 'organization',
          maxLength: 100,
        }),
        ...joinerFields,
      },
      uses: ['startSignUp'],
      async submit(call, body) {
        const { data } = await call.call('startSignUp', { body });
        return redirect(path(`${SIGN_UP_PATH}/code`, {}, { id: data.id }));
      },
    }),
  },
  async view(call, { main }) {
    await call.call('getSignUp');
    const { signIn, signUp } = call.texts;
    const owner = call.person?.merchant && call.person;
    return {
      title: signUp.title,
      content: html`<p>${signUp.intro}</p>${
        owner && html`<p>${buttonLink(NEW_COMPANY_PATH, signUp.goOnAs(owner.name), 'primary')}</p>`
      }<p>${signIn.byMail}</p>${main.render({ submit: signIn.send })}<p>${buttonLink('/sign-in', signUp.hasAccount)}</p>`,
    };
  },
});

const proofPages = proofPagesOf({
  at: SIGN_UP_PATH,
  param: null,
  next: HOME.merchant,
  by: { code: 'createCompanyByCode', link: 'createCompanyByLink' },
  needs: 'getSignUp',
  explain: ({ signUp }) => signUp.confirmText,
});
export const signUpCodePage = proofPages.code;
export const signUpLinkPage = proofPages.link;

export const NEW_COMPANY_PATH = `${COMPANIES_PATH}/new` as const;

/** One more company of somebody who is signed in. */
export const newCompanyPage = page({
  path: NEW_COMPANY_PATH,
  audience: 'merchant',
  uses: ['getSignUp', 'createCompany'],
  forms: {
    main: form({
      fields: { companyName: text({ label: 'Company', required: true, autocomplete: 'organization', maxLength: 100 }) },
      uses: ['createCompany'],
      async submit(call, body) {
        const { data } = await call.call('createCompany', { body });
        return redirect(HOME.merchant, { flash: `You act for ${data.companyName} now.` });
      },
    }),
  },
  async view(call, { main }) {
    await call.call('getSignUp');
    return {
      title: 'Another company',
      content: html`<p>It has an account of its own, with programs, people and books. You are its owner.</p>${main.render({ submit: 'Open the account' })}`,
    };
  },
});
