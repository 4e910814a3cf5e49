import { facts } from '../../components/blocks.ts';
import { checkboxes, radios } from '../../components/choices.ts';
import { html } from '../../html.ts';
import { form, page, redirect } from '../../page.ts';
import { ROLE_OPTIONS, roleLabel } from './roles.ts';

const LIST = '/console/settings/people';

const change = form({
  fields: { role: radios({ label: 'Role', required: true, options: ROLE_OPTIONS }) },
  uses: ['changePersonRole'],
  async submit(call, body) {
    const { data } = await call.call('changePersonRole', { params: { id: call.param('id') }, body });
    return redirect(call.path, { flash: `${data.name}: ${roleLabel(data.role)} from now on` });
  },
});

const remove = form({
  fields: {
    keepKeys: checkboxes({
      label: 'Keys that go on working',
      hint: 'All others that the person made are revoked, with the keys made with them',
    }),
  },
  uses: ['removePerson'],
  async submit(call, body) {
    const { data } = await call.call('removePerson', { params: { id: call.param('id') }, body });
    return redirect(LIST, { flash: `Removed and signed out. Keys revoked: ${call.format.number(data.revokedKeys)}` });
  },
});

/** One person of the account: their role, and what ends with it. */
export const personPage = page({
  path: `${LIST}/{id}`,
  audience: 'merchant',
  below: '/console/settings',
  uses: ['listPeople', 'listPersonKeys'],
  forms: { change, remove },
  async view(call, { change, remove }) {
    const id = call.param('id');
    // NOT_FOUND for whoever does not belong to the account.
    const { data: keys } = await call.call('listPersonKeys', { params: { id } });
    const { data: people } = await call.call('listPeople');
    const person = people.find(({ personId }) => personId === id);
    if (!person) return redirect(LIST);
    const options = keys.map((key) => ({ value: key.id, label: `${key.name} (${key.prefix}…${key.lastFour})` }));
    const keepKeys =
      keys.length === 0 ? html`<p>The person made no keys that still work.</p>` : remove.field('keepKeys', { options });
    return {
      title: person.name,
      content: html`${facts([
        ['Email address', person.email],
        ['Role', roleLabel(person.role)],
        ['Since', call.format.date(person.roleSince)],
      ])}<h2>Role</h2>${change.fill({ role: person.role }).render({ submit: 'Change the role' })}<h2>Remove</h2><p>The person is signed out everywhere, at once.</p>${remove.render({ submit: 'Remove', content: keepKeys, tone: 'danger' })}`,
    };
  },
});
