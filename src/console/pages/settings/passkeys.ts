import { emptyState } from '../../components/blocks.ts';
import { hidden, text } from '../../components/fields.ts';
import { table } from '../../components/table.ts';
import { html } from '../../html.ts';
import { form, page, redirect } from '../../page.ts';
import { passkeyForm, problemWith } from '../sign-in/proof-forms.ts';
import { settingsTabs } from './settings-tabs.ts';

const LIST = '/console/settings/passkeys';

const addFields = {
  name: text({ label: 'Name', hint: 'Such as the device that keeps it', required: true, maxLength: 100 }),
  challengeId: hidden(),
  response: hidden(),
};

/** How a person signs in, and proves who they are. */
export const passkeysPage = page({
  path: LIST,
  audience: 'merchant',
  below: '/console/settings',
  uses: ['listPasskeys'],
  forms: {
    start: form({
      fields: {},
      uses: ['startPasskeyRegistration'],
      async submit(call) {
        const { challengeId, options } = (await call.call('startPasskeyRegistration')).data;
        const added = passkeyForm(call, {
          kind: 'create',
          name: 'add',
          action: LIST,
          fields: addFields,
          values: { challengeId, response: '' },
          options,
          submit: 'Add a passkey',
        });
        return {
          title: 'Add a passkey',
          content: html`<p>Your device asks for your fingerprint, your face or its code. Nothing of that leaves it.</p>${added}`,
        };
      },
    }),
    add: form({
      fields: addFields,
      uses: ['registerPasskey'],
      async submit(call, body) {
        const result = await call.attempt('registerPasskey', { body });
        if ('error' in result) {
          const flash = result.status === 401 ? problemWith(body.response, call.texts) : result.error.message;
          return redirect(LIST, { flash, tone: 'bad' });
        }
        return redirect(LIST, { flash: `${body.name} is added` });
      },
    }),
    remove: form({
      fields: { passkeyId: hidden() },
      uses: ['deletePasskey'],
      async submit(call, { passkeyId: id }) {
        const { data } = await call.call('deletePasskey', { params: { id } });
        return redirect(LIST, { flash: `${data.name} is deleted` });
      },
    }),
  },
  async view(call, { start, remove }) {
    const { data } = await call.call('listPasskeys');
    return {
      title: 'Passkeys',
      content: html`${settingsTabs(call)}<p>With a passkey you sign in without a mail. Approving payouts, people and rules of approval need one.</p>${table(
        {
          caption: 'Passkeys',
          rows: data,
          columns: [
            { head: 'Name', cell: ({ name }) => name },
            { head: 'Added', cell: ({ createdAt }) => call.format.time(createdAt) },
            { head: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'Never' : call.format.time(lastUsedAt)) },
            {
              head: 'Delete',
              cell: ({ id }) => remove.fill({ passkeyId: id }).render({ submit: 'Delete', isInline: true, tone: 'danger' }),
            },
          ],
          empty: emptyState({
            icon: 'key',
            title: 'No passkeys yet',
            text: 'Your phone, your computer or a security key can keep one.',
          }),
        },
      )}${start.render({ submit: 'Add a passkey' })}`,
    };
  },
});
