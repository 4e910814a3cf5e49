import { radios } from '../../components/choices.ts';
import { hidden, text } from '../../components/fields.ts';
import { table } from '../../components/table.ts';
import { html } from '../../html.ts';
import { list } from '../../list.ts';
import { listPage } from '../../list-page.ts';
import { nameOf } from '../../name.ts';
import { form, redirect } from '../../page.ts';
import { path } from '../../url.ts';
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

const people = list({
  id: 'people',
  operation: 'listPeople',
  caption: () => 'People',
  href: ({ personId: id }) => path(`${LIST}/{id}`, { id }),
  columns: ({ format }) => [
    { id: 'name', head: 'Name', cell: ({ name }) => nameOf(name) },
    { id: 'email', head: 'Email address', cell: ({ email }) => email },
    { id: 'role', head: 'Role', cell: ({ role }) => roleLabel(role) },
    { id: 'since', head: 'Since', cell: ({ roleSince }) => format.date(roleSince) },
  ],
  empty: () => ({ icon: 'people', title: 'Nobody signs in for this account yet', text: 'Invite the first person.' }),
});

/** Who belongs to the account, and who is invited. */
export const peoplePage = listPage({
  list: people,
  path: LIST,
  audience: 'merchant',
  below: '/console/settings',
  uses: ['listPersonInvites'],
  forms: { invite, revokeInvite },
  title: () => 'People',
  above: settingsTabs,
  async after(call, forms) {
    const { data: invites } = await call.call('listPersonInvites');
    return html`${
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
            cell: ({ id }) =>
              forms.revokeInvite.fill({ inviteId: id }).render({ submit: 'Revoke', isInline: true, tone: 'danger' }),
          },
        ],
        empty: html``,
      })}`
    }<h2>Invite a person</h2>${forms.invite.render({ submit: 'Send the invite' })}`;
  },
});
