import { visibleLine } from '../../../platform/visible-line.ts';
import { brandOf } from '../../brand.ts';
import { buttonLink, notice } from '../../components/blocks.ts';
import { hidden, paragraph, text } from '../../components/fields.ts';
import { html } from '../../html.ts';
import { nameOf } from '../../name.ts';
import { form, type PageCall, page, redirect } from '../../page.ts';
import { OperationFailed } from '../../page-call.ts';
import { path } from '../../url.ts';
import { rejected } from '../sign-in/started.ts';
import { joiningProof, proofPagesOf } from './proof-pages.ts';
import { termsView } from './terms.ts';

const AT = '/join/{portalSlug}';
const ACCEPT = '/portal/join/{portalSlug}';

/** Who joins: the same on every page on which somebody may be new. */
export const joinerFields = {
  name: text({ label: (texts) => texts.signIn.name, required: true, autocomplete: 'name', maxLength: 100 }),
  email: text({ label: (texts) => texts.signIn.email, required: true, type: 'email', autocomplete: 'email' }),
};

const slugOf = (call: PageCall) => ({ portalSlug: call.param('portalSlug') });

/** For everybody: what a program offers, and how to join it. The same for every address. */
export const joinPage = page({
  path: AT,
  audience: 'public',
  uses: ['getProgramToJoin'],
  forms: {
    main: form({
      fields: joinerFields,
      uses: ['startJoiningProgram'],
      async submit(call, body) {
        const { data } = await call.call('startJoiningProgram', { params: slugOf(call), body });
        return redirect(path(`${AT}/code`, slugOf(call), { id: data.id }));
      },
    }),
  },
  async view(call, { main }) {
    const { join, signIn } = call.texts;
    const { data } = await call.call('getProgramToJoin', { params: slugOf(call) });
    const affiliate = call.person?.affiliate;
    const goOn = affiliate && html`<p>${buttonLink(path(ACCEPT, slugOf(call)), join.goOnAs(affiliate.name), 'primary')}</p>`;
    return {
      title: join.title(visibleLine(data.programName)),
      heading: html`${join.heading(nameOf(data.programName))}`,
      brand: brandOf(data),
      content: html`<p>${data.description ?? join.intro}</p>${termsView(call, data)}${
        data.isOpen || main.isSent
          ? html`${goOn}<p>${signIn.byMail}</p>${main.render({ submit: signIn.send })}`
          : notice(html`<p>${join.closed}</p>`, 'warning')
      }`,
    };
  },
});

const proofPages = proofPagesOf({
  at: AT,
  param: 'portalSlug',
  next: ACCEPT,
  ...joiningProof,
  uses: ['getProgramToJoin'],
  brand: async (call) => brandOf((await call.call('getProgramToJoin', { params: slugOf(call) })).data),
});
export const joinCodePage = proofPages.code;
export const joinLinkPage = proofPages.link;

const answer = (n: number) => paragraph({ label: (texts) => texts.join.answer(`${n}`), path: `answers.${n - 1}`, rows: 2 });

/** As many as a program can ask for. Their labels are those of the program. */
const answerFields = {
  answer1: answer(1),
  answer2: answer(2),
  answer3: answer(3),
  answer4: answer(4),
  answer5: answer(5),
  answer6: answer(6),
  answer7: answer(7),
  answer8: answer(8),
  answer9: answer(9),
  answer10: answer(10),
};
const ANSWERS = Object.keys(answerFields) as (keyof typeof answerFields)[];

/** Whoever is in already, or waits, sees that. */
export const SETTLED: readonly unknown[] = ['ALREADY_MEMBER', 'APPLICATION_PENDING'];

/** Sent by whoever accepts the terms that they were shown. */
export const acceptTermsPage = page({
  path: ACCEPT,
  audience: 'affiliate',
  below: '/portal/programs',
  uses: ['getProgramToJoin', 'joinProgram'],
  forms: {
    main: form({
      fields: {
        termsVersion: hidden(),
        message: paragraph({ label: (texts) => texts.portal.message, hint: (texts) => texts.portal.messageHint, rows: 3 }),
        ...answerFields,
      },
      uses: ['joinProgram', 'getProgramToJoin'],
      async submit(call, { termsVersion, message, ...given }) {
        const params = slugOf(call);
        const { programId, fields } = (await call.call('getProgramToJoin', { params })).data;
        const answers = ANSWERS.slice(0, fields.length).map((name) => given[name] ?? '');
        const result = await call.attempt('joinProgram', { params, body: { termsVersion, message, answers } });
        const reason = 'error' in result ? result.error.details?.['reason'] : null;
        if (!('error' in result) || SETTLED.includes(reason)) return redirect(path('/portal/joined/{programId}', { programId }));
        if (reason === 'TERMS_CHANGED') return rejected(path(ACCEPT, params), call.texts.join.termsChanged);
        throw new OperationFailed(result);
      },
    }),
  },
  async view(call, { main }) {
    const { join } = call.texts;
    const { data } = await call.call('getProgramToJoin', { params: slugOf(call) });
    const filled = main.fill({ termsVersion: data.termsVersion });
    const asked = ANSWERS.slice(0, data.fields.length).map((name, at) => {
      const { label = '', isRequired = false } = data.fields[at] ?? {};
      return filled.field(name, { label: visibleLine(label), isRequired });
    });
    const submit = data.isReviewed ? join.acceptAndApply : join.acceptAndJoin;
    return {
      title: join.title(visibleLine(data.programName)),
      heading: html`${join.heading(nameOf(data.programName))}`,
      brand: brandOf(data),
      content: html`${termsView(call, data)}${
        data.isOpen || main.isSent
          ? html`<p>${data.isReviewed ? join.reviewed : join.atOnce}</p>${filled.render({ submit, content: [...asked, filled.field('termsVersion'), filled.field('message')] })}`
          : notice(html`<p>${join.closed}</p>`, 'warning')
      }`,
    };
  },
});
