import { visibleLine } from '../../../platform/visible-line.ts';
import { brandOf } from '../../brand.ts';
import { buttonLink, notice } from '../../components/blocks.ts';
import { html } from '../../html.ts';
import { nameOf } from '../../name.ts';
import { form, page, redirect } from '../../page.ts';
import { path } from '../../url.ts';
import { joinerFields } from './join.ts';
import { joiningProof, proofPagesOf } from './proof-pages.ts';
import { termsView } from './terms.ts';

const AT = '/i/{token}';
const CLAIM = '/portal/invites/{token}';

/** Where the link of an invite leads. Opening it claims nothing. For whom it is, is not shown: it may have been passed on. */
export const invitePage = page({
  path: AT,
  audience: 'public',
  uses: ['getInvite'],
  forms: {
    main: form({
      fields: joinerFields,
      uses: ['startJoiningByInvite'],
      async submit(call, { name, email }) {
        const params = { token: call.param('token') };
        const body = email === '' ? { name } : { name, email };
        const { data } = await call.call('startJoiningByInvite', { params, body });
        return redirect(path(`${AT}/code`, params, { id: data.id }));
      },
    }),
  },
  async view(call, { main }) {
    const { texts, format, person } = call;
    const { join, signIn } = texts;
    const params = { token: call.param('token') };
    const { data } = await call.call('getInvite', { params });
    const [company, program] = [visibleLine(data.companyName), visibleLine(data.programName)];
    const affiliate = person?.affiliate;
    const content = data.isForOnePerson ? main.field('name') : [main.field('name'), main.field('email')];
    const isShown = data.status === 'open' || main.isSent;
    return {
      title: join.invited(company, program),
      heading: html`${join.invitedHeading(nameOf(data.companyName), nameOf(data.programName))}`,
      brand: brandOf(data),
      content: html`${data.programDescription !== null && html`<p>${data.programDescription}</p>`}${termsView(call, data, [
        [join.openUntil, format.time(data.expiresAt)],
      ])}${
        data.status === 'open'
          ? affiliate && html`<p>${buttonLink(path(CLAIM, params), join.goOnAs(affiliate.name), 'primary')}</p>`
          : notice(html`<p>${join.ended[data.status]}</p>`, 'warning')
      }${
        isShown &&
        html`<p>${data.isForOnePerson ? join.mailToInvited : signIn.byMail}</p>${main.render({ submit: signIn.send, content })}`
      }`,
    };
  },
});

const proofPages = proofPagesOf({
  at: AT,
  param: 'token',
  next: CLAIM,
  ...joiningProof,
  uses: ['getInvite'],
  brand: async (call) => brandOf((await call.call('getInvite', { params: { token: call.param('token') } })).data),
});
export const inviteCodePage = proofPages.code;
export const inviteLinkPage = proofPages.link;
