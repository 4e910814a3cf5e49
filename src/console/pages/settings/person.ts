import { facts } from '../../components/blocks.ts';
import { checkboxes, radios } from '../../components/choices.ts';
import type { FormView } from '../../components/form.ts';
import { type Html, html } from '../../html.ts';
import { form, type PageCall, page, redirect } from '../../page.ts';
import { cancelledText } from './cancelled-work.ts';
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
    return redirect(LIST, {
      flash: `Removed and signed out. Keys revoked: ${call.format.number(data.revokedKeys)}${cancelledText(data.cancelled)}`,
    });
  },
});

const replace = form({
  fields: {},
  uses: ['startPasskeyReplacement'],
  async submit(call) {
    await call.call('startPasskeyReplacement', { params: { id: call.param('id') } });
    return redirect(call.path, { flash: 'The person is notified by email and has 24 hours to keep their passkeys' });
  },
});

const keep = form({
  fields: {},
  uses: ['cancelPasskeyReplacement'],
  async submit(call) {
    const { data } = await call.call('cancelPasskeyReplacement', { params: { id: call.param('id') } });
    const flash = data.dueAt === null ? 'The passkeys stay' : 'The server operator asked for this: only the person can stop it';
    return redirect(call.path, { flash, tone: data.dueAt === null ? 'good' : 'bad' });
  },
});

type Button = Pick<FormView<Record<never, never>>, 'render'>;

const passkeyView = (
  { format }: Pick<PageCall, 'format'>,
  { dueAt, replace, keep }: { dueAt: string | null; replace: Button; keep: Button },
): Html =>
  html`<h2>Lost passkey</h2>${
    dueAt === null
      ? html`<p>The person gets an email immediately. After 24 hours they are signed out, their passkeys no longer work, and they add a new one with an emailed code. People who still have a passkey keep it by using it, or by the link of the mail.</p>${replace.render({ submit: 'Replace their passkeys' })}`
      : html`<p>The passkeys of the person no longer count from ${format.time(dueAt)}, unless they keep them.</p>${keep.render({ submit: 'Keep their passkeys' })}`
  }`;

/** One person of the account: their role, and what ends with it. */
export const personPage = page({
  path: `${LIST}/{id}`,
  audience: 'merchant',
  below: '/console/settings',
  uses: ['listPeople', 'listPersonKeys', 'getPasskeyReplacement'],
  forms: { change, replace, keep, remove },
  async view(call, { change, replace, keep, remove }) {
    const id = call.param('id');
    // NOT_FOUND for whoever does not belong to the account.
    const { data: keys } = await call.call('listPersonKeys', { params: { id } });
    const { data: people } = await call.call('listPeople');
    const person = people.find(({ personId }) => personId === id);
    if (!person) return redirect(LIST);
    const { dueAt } = (await call.call('getPasskeyReplacement', { params: { id } })).data;
    const options = keys.map((key) => ({ value: key.id, label: `${key.name} (${key.prefix}…${key.lastFour})` }));
    const keepKeys =
      keys.length === 0 ? html`<p>The person made no keys that still work.</p>` : remove.field('keepKeys', { options });
    return {
      title: person.name,
      content: html`${facts([
        ['Email address', person.email],
        ['Role', roleLabel(person.role)],
        ['Since', call.format.date(person.roleSince)],
      ])}<h2>Role</h2>${change.fill({ role: person.role }).render({ submit: 'Change the role' })}${id !== call.person?.personId && passkeyView(call, { dueAt, replace, keep })}<h2>Remove</h2><p>The person is signed out everywhere, at once.</p>${remove.render({ submit: 'Remove', content: keepKeys, tone: 'danger' })}`,
    };
  },
});
