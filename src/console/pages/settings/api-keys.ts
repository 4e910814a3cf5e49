import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import { MERCHANT_SCOPES } from '../../../contracts/scopes.ts';
import { badge, buttonLink, copyable, dialog, emptyState, facts, notice } from '../../components/blocks.ts';
import { checkboxes, radios } from '../../components/choices.ts';
import { date, hidden, text } from '../../components/fields.ts';
import { pager, table } from '../../components/table.ts';
import { type Html, html } from '../../html.ts';
import { queryOf } from '../../list-query.ts';
import { form, type PageCall, page, redirect } from '../../page.ts';
import { settingsTabs } from './settings-tabs.ts';

type Key = OperationSuccess<'listApiKeys'>['data'][number];

const LIST = '/console/settings/api-keys';

export const nameOfKey = ({ name, prefix, lastFour }: Pick<Key, 'name' | 'prefix' | 'lastFour'>): Html =>
  html`${name} <code>${prefix}…${lastFour}</code>`;

const isExpired = ({ expiresAt }: Key): boolean => expiresAt !== null && Date.parse(expiresAt) <= Date.now();

const stateOf = (key: Key): Html => {
  if (key.revokedAt !== null) return badge('Revoked');
  return isExpired(key) ? badge('Expired') : badge('Active', 'good');
};

const scopesOf = ({ scopes }: Pick<Key, 'scopes'>): Html =>
  html`<details><summary>${scopes.length} of ${MERCHANT_SCOPES.length}</summary>${scopes.join(', ')}</details>`;

/** Names of the people of the account, and of the keys that the page shows. */
const makersOf = async (call: PageCall<'listApiKeys' | 'listPeople'>, keys: readonly Key[]): Promise<Map<string, string>> => {
  const people = call.allows('listPeople') ? (await call.call('listPeople')).data : [];
  return new Map([...keys.map(({ id, name }) => [id, name] as const), ...people.map((of) => [of.personId, of.name] as const)]);
};

const revoke = form({
  fields: { keyId: hidden(), descendants: hidden() },
  uses: ['revokeApiKey'],
  async submit(call, { keyId: id, descendants }) {
    const { data } = await call.call('revokeApiKey', { params: { id }, query: { descendants: descendants as 'true' } });
    return redirect(LIST, { flash: `${data.name} is revoked` });
  },
});

export const apiKeysPage = page({
  path: LIST,
  audience: 'merchant',
  below: '/console/settings',
  uses: ['listApiKeys'],
  mayUse: ['listPeople'],
  forms: { revoke },
  async view(call, { revoke }) {
    const { data, meta } = await call.call('listApiKeys', { query: queryOf(call, ['cursor', 'limit']) });
    const makers = await makersOf(call, data);
    const revokeWith = (keyId: string, descendants: 'true' | 'false', submit: string): Html =>
      revoke.fill({ keyId, descendants }).render({ submit, isInline: true, tone: 'danger' });
    const revokeDialog = ({ id, name }: Key): Html =>
      dialog(
        {
          id: `revoke-${id}`,
          open: 'Revoke',
          title: `Revoke ${name}`,
          content: html`<p>It stops working at once, and for good. Keys that were made with it go on working unless you revoke them too.</p><p>${revokeWith(id, 'false', 'Revoke this key')}</p><p>${revokeWith(id, 'true', 'Revoke it and the keys made with it')}</p>`,
        },
        call.texts,
      );
    return {
      title: 'API keys',
      actions: buttonLink(`${LIST}/new`, 'Create API key', 'primary'),
      content: html`${settingsTabs(call)}${table({
        caption: 'API keys',
        rows: data,
        columns: [
          { head: 'Key', cell: nameOfKey },
          { head: 'State', cell: stateOf },
          { head: 'Scopes', cell: scopesOf },
          { head: 'Made by', cell: ({ createdBy }) => (createdBy === null ? 'The operator' : (makers.get(createdBy) ?? '–')) },
          { head: 'Created', cell: ({ createdAt }) => call.format.date(createdAt) },
          { head: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'Never' : call.format.time(lastUsedAt)) },
          { head: 'Expires', cell: ({ expiresAt }) => (expiresAt === null ? 'Never' : call.format.time(expiresAt)) },
          {
            head: 'Revoke',
            cell: (key) => (revoke.isAllowed && key.revokedAt === null && !isExpired(key) ? revokeDialog(key) : '–'),
          },
        ],
        empty: emptyState({
          icon: 'key',
          title: 'No API keys yet',
          text: 'Programs of yours call the API with a key. Create the first one.',
        }),
      })}${data.length > 0 && pager(call, meta, data.length)}`,
    };
  },
});

/** The value is in the response of the form alone: it is stored nowhere. */
export const newApiKeyPage = page({
  path: `${LIST}/new`,
  audience: 'merchant',
  below: '/console/settings',
  uses: ['createApiKey'],
  forms: {
    main: form({
      fields: {
        name: text({
          label: 'Name',
          hint: 'What the key is for, such as the program that uses it',
          required: true,
          maxLength: 100,
        }),
        access: radios({
          label: 'Access',
          path: 'preset',
          required: true,
          options: [
            { value: 'merchant:full', label: 'Full access', hint: 'Everything that the API can do for your account' },
            { value: 'readonly', label: 'Read only', hint: 'Sees everything, and changes nothing' },
            { value: 'scopes', label: 'Chosen scopes', hint: 'Only those that are checked below' },
          ],
        }),
        scopes: checkboxes({ label: 'Scopes', options: MERCHANT_SCOPES.map((value) => ({ value, label: value })) }),
        lastDay: date({ label: 'Last day', path: 'expiresAt', hint: 'The key expires at the end of this day, UTC' }),
      },
      uses: ['createApiKey'],
      async submit(call, { name, access, scopes, lastDay }) {
        const rights = access === 'scopes' ? { scopes } : { preset: access };
        const expiry = lastDay === undefined ? {} : { expiresAt: `${lastDay}T23:59:59Z` };
        const { data } = await call.call('createApiKey', { body: { name, ...rights, ...expiry } });
        const { key, value } = data;
        return {
          title: 'API key created',
          content: html`${notice(html`<p>Copy the key now, and keep it as a secret: it is shown only once.</p>`, 'warning')}<p>${copyable(value, call.texts)}</p>${facts(
            [
              ['Name', key.name],
              ['Scopes', key.scopes.join(', ')],
              ['Expires', key.expiresAt === null ? 'Never' : call.format.time(key.expiresAt)],
            ],
          )}<p>${buttonLink(LIST, 'To the API keys')}</p>`,
        };
      },
    }),
  },
  view: (_call, { main }) => ({
    title: 'Create API key',
    content: main.fill({ access: 'scopes' }).render({ submit: 'Create API key' }),
  }),
});
