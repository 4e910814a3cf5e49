import { facts, notice } from '../../components/blocks.ts';
import { html } from '../../html.ts';
import { form, page, redirect } from '../../page.ts';
import { path, url } from '../../url.ts';

const claim = form({
  fields: {},
  uses: ['claimInvite'],
  async submit(call) {
    const { data } = await call.call('claimInvite', { params: { token: call.param('token') } });
    return redirect(path('/portal/joined/{programId}', { programId: data.programId }));
  },
});

/** Joins the program of an invite; the first link is on the next page. */
export const claimInvitePage = page({
  path: '/portal/invites/{token}',
  audience: 'affiliate',
  below: '/portal/programs',
  uses: ['getInvite', 'claimInvite'],
  forms: { claim },
  async view(call, forms) {
    const { portal } = call.texts;
    const { data } = await call.call('getInvite', { params: { token: call.param('token') } });
    const terms = data.termsUrl;
    return {
      title: portal.invitedTo(data.programName),
      content: html`${facts([
        [portal.company, data.companyName],
        [portal.commission, call.format.percent(data.commissionPercent)],
        [portal.terms, terms === null ? null : html`<a href="${url(terms)}">${terms}</a>`],
      ])}${
        data.status === 'open' || forms.claim.isSent
          ? forms.claim.render({ submit: portal.join })
          : notice(html`<p>${portal.inviteEnded}</p>`, 'warning')
      }`,
    };
  },
});
