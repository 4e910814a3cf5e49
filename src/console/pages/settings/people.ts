import { emptyState } from '../../components/blocks.ts';
import { radios } from '../../components/choices.ts';
import { hidden, text } from '../../components/fields.ts';
import { table } from '../../components/table.ts';
import { html } from '../../html.ts';
import { nameOf } from '../../name.ts';
import { form, page, redirect } from '../../page.ts';
import { path, url } from '../../url.ts';
import { ROLE_OPTIONS, roleLabel } from './roles.ts';
import { settingsTabs } from './settings-tabs.ts';

const LIST = '/console/settings/people';

const invite = form({
  fields: {
    email: text({ label: 'Email address', required: true, type: 'email' }),
    role: radios({ label: 'Role', required: true, options: ROLE_OPTIONS }),
  },
  uses: ['invitePerson'],
  async submit(call, body) {
    const { data } = await call.call('invitePerson', { body });
    return redirect(LIST, { flash: `${data.email} gets a link that works for seven days` });
  },
});

const revokeInvite = form({
  fields: { inviteId: hidden() },
  uses: ['revokePersonInvite'],
  async submit(call, { inviteId: id }) {
    await call.call('revokePersonInvite', { params: { id } });
    return redirect(LIST, { flash: 'The invite is revoked. Its link no longer works.' });
  },
});

/** Who belongs to the account, and who is invited. */
export const peoplePage = page({
  path: LIST,
  audience: 'merchant',
  below: '/console/settings',
  uses: ['listPeople', 'listPersonInvites'],
  forms: { invite, revokeInvite },
  async view(call, { invite, revokeInvite }) {
    const [{ data: people }, { data: invites }] = await Promise.all([call.call('listPeople'), call.call('listPersonInvites')]);
    return {
      title: 'People',
      content: html`${settingsTabs(call)}${table({
        caption: 'People',
        rows: people,
        columns: [
          {
            head: 'Name',
            cell: ({ personId: id, name }) => html`<a href="${url(path(`${LIST}/{id}`, { id }))}">${nameOf(name)}</a>`,
          },
          { head: 'Email address', cell: ({ email }) => email },
          { head: 'Role', cell: ({ role }) => roleLabel(role) },
          { head: 'Since', cell: ({ roleSince }) => call.format.date(roleSince) },
        ],
        empty: emptyState({
          icon: 'people',
          title: 'Nobody signs in for this account yet',
          text: 'Invite the first person.',
        }),
      })}${
        invites.length > 0 &&
        html`<h2>Invites</h2>${table({
          caption: 'Invites',
          rows: invites,
          columns: [
            { head: 'Email address', cell: ({ email }) => email },
            { head: 'Role', cell: ({ role }) => roleLabel(role) },
            { head: 'Works until', cell: ({ expiresAt }) => call.format.time(expiresAt) },
            {
              head: 'Revoke',
              cell: ({ id }) => revokeInvite.fill({ inviteId: id }).render({ submit: 'Revoke', isInline: true, tone: 'danger' }),
            },
          ],
          empty: html``,
        })}`
      }<h2>Invite a person</h2>${invite.render({ submit: 'Send the invite' })}`,
    };
  },
});
