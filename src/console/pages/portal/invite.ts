import { visibleLine } from '../../../platform/visible-line.ts';
import { brandOf } from '../../brand.ts';
import { notice } from '../../components/blocks.ts';
import { hidden } from '../../components/fields.ts';
import { html } from '../../html.ts';
import { form, page, redirect } from '../../page.ts';
import { OperationFailed } from '../../page-call.ts';
import { path } from '../../url.ts';
import { SETTLED } from '../join/join.ts';
import { termsView } from '../join/terms.ts';
import { rejected } from '../sign-in/started.ts';

const AT = '/portal/invites/{token}';

/** Sent by whoever accepts the terms that they were shown. */
const claim = form({
  fields: { termsVersion: hidden() },
  uses: ['acceptInvite', 'getInvite'],
  async submit(call, { termsVersion }) {
    const params = { token: call.param('token') };
    const result = await call.attempt('acceptInvite', { params, body: { termsVersion } });
    const reason = 'error' in result ? result.error.details?.['reason'] : null;
    if (reason === 'TERMS_CHANGED') return rejected(path(AT, params), call.texts.join.termsChanged);
    if ('error' in result && !SETTLED.includes(reason)) throw new OperationFailed(result);
    const { programId } = (await call.call('getInvite', { params })).data;
    return redirect(path('/portal/joined/{programId}', { programId }));
  },
});

/** Joins the program of an invite; the first link is on the next page. */
export const claimInvitePage = page({
  path: AT,
  audience: 'affiliate',
  below: '/portal/programs',
  uses: ['getInvite', 'getInvitedProgram', 'acceptInvite'],
  forms: { claim },
  async view(call, forms) {
    const { portal, join } = call.texts;
    const params = { token: call.param('token') };
    const { data: invite } = await call.call('getInvite', { params });
    const program = await call.attempt('getInvitedProgram', { params });
    const terms = 'error' in program ? null : program.data;
    const filled = forms.claim.fill({ termsVersion: terms?.termsVersion ?? '' });
    return {
      title: portal.invitedTo(visibleLine(invite.programName)),
      brand: brandOf(invite),
      content: html`${termsView(call, terms ?? invite)}${
        invite.status === 'open' || forms.claim.isSent
          ? filled.render({ submit: join.acceptAndJoin })
          : notice(html`<p>${portal.inviteEnded}</p>`, 'warning')
      }`,
    };
  },
});
