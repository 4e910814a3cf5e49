import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import { AFFILIATE_SCOPES, MERCHANT_SCOPES, type Preset, type Scope } from '../../../contracts/scopes.ts';
import { badge, buttonLink, copyable, dialog, facts, notice } from '../../components/blocks.ts';
import { checkboxes, radios } from '../../components/choices.ts';
import { date, hidden, text } from '../../components/fields.ts';
import type { FormView } from '../../components/form.ts';
import { type Html, html } from '../../html.ts';
import { list, SIZES } from '../../list.ts';
import { listPage } from '../../list-page.ts';
import { nameOf } from '../../name.ts';
import { form, type Navigation, type PageCall, page, redirect } from '../../page.ts';
import type { Texts } from '../../texts/texts.ts';
import { cancelledText } from './cancelled-work.ts';
import { settingsTabs } from './settings-tabs.ts';

type Key = OperationSuccess<'listApiKeys'>['data'][number];

interface Place {
  path: `/${string}`;
  /** Path of the entry in the navigation. */
  below: `/${string}`;
  navigation?: Navigation;
  scopes: readonly Scope[];
  /** The preset that has all of them. */
  full: Preset;
}

/** Merchants find it among the settings, affiliates in the navigation. */
const PLACES = {
  merchant: {
    path: '/console/settings/api-keys',
    below: '/console/settings',
    scopes: MERCHANT_SCOPES,
    full: 'merchant:full',
  },
  affiliate: {
    path: '/portal/keys',
    below: '/portal/keys',
    navigation: { label: ({ keys }: Texts) => keys.title, icon: 'key' },
    scopes: AFFILIATE_SCOPES,
    full: 'affiliate:full',
  },
} as const satisfies Record<string, Place>;

type Audience = keyof typeof PLACES;

export const nameOfKey = ({ name, prefix, lastFour }: Pick<Key, 'name' | 'prefix' | 'lastFour'>): Html =>
  html`${nameOf(name)} <code>${prefix}…${lastFour}</code>`;

const isExpired = ({ expiresAt }: Key): boolean => expiresAt !== null && Date.parse(expiresAt) <= Date.now();

const stateOf = (key: Key, { keys }: Texts): Html => {
  if (key.revokedAt !== null) return badge(keys.revoked);
  return isExpired(key) ? badge(keys.expired) : badge(keys.active, 'good');
};

const timeOrNever = (time: string | null, { texts, format }: PageCall): Html | string =>
  time === null ? texts.keys.never : format.time(time);

/** Names of the person, of the people of the account, and of the keys that the page shows. */
const makersOf = async (call: PageCall<'listApiKeys' | 'listPeople'>, keys: readonly Key[]): Promise<Map<string, string>> => {
  const people = call.allows('listPeople') ? (await call.call('listPeople')).data : [];
  return new Map([
    ...(call.person ? [[call.person.personId, call.person.name] as const] : []),
    ...keys.map(({ id, name }) => [id, name] as const),
    ...people.map((of) => [of.personId, of.name] as const),
  ]);
};

const keysOf = (audience: Audience) => {
  const { scopes: all }: Place = PLACES[audience];
  return list({
    id: 'keys',
    operation: 'listApiKeys',
    caption: ({ texts }) => texts.keys.title,
    sizes: SIZES,
    async columns(call, rows, { revoke }) {
      const { texts, format } = call;
      const { keys } = texts;
      const makers = await makersOf(call, rows);
      return [
        { id: 'key', head: keys.key, cell: nameOfKey },
        { id: 'state', head: keys.state, cell: (key) => stateOf(key, texts) },
        {
          id: 'scopes',
          head: keys.scopes,
          cell: ({ scopes }) =>
            html`<details><summary>${keys.scopesOf(format.number(scopes.length), format.number(all.length))}</summary>${scopes.join(', ')}</details>`,
        },
        {
          id: 'maker',
          head: keys.madeBy,
          cell: ({ createdBy }) => (createdBy === null ? keys.operator : nameOf(makers.get(createdBy) ?? '–')),
        },
        { id: 'created', head: keys.created, cell: ({ createdAt }) => format.date(createdAt) },
        { id: 'used', head: keys.lastUsed, cell: ({ lastUsedAt }) => timeOrNever(lastUsedAt, call) },
        { id: 'expires', head: keys.expires, cell: ({ expiresAt }) => timeOrNever(expiresAt, call) },
        {
          id: 'revoke',
          head: keys.revoke,
          cell: (key) =>
            revoke?.isAllowed && key.revokedAt === null && !isExpired(key) ? revokeDialog(key, revoke, texts) : '–',
        },
      ];
    },
    empty: ({ texts: { keys } }) => ({ icon: 'key', title: keys.none, text: keys.noneText }),
  });
};

// biome-ignore lint/suspicious/noExplicitAny: a form with any fields
const revokeDialog = ({ id, name }: Key, revoke: FormView<any>, texts: Texts): Html => {
  const { keys } = texts;
  const revokeWith = (descendants: 'true' | 'false', submit: string): Html =>
    revoke.fill({ keyId: id, descendants }).render({ submit, isInline: true, tone: 'danger' });
  return dialog(
    {
      id: `revoke-${id}`,
      open: keys.revoke,
      title: keys.revokeOne(name),
      content: html`<p>${keys.revokeText}</p><p>${revokeWith('false', keys.revokeThis)}</p><p>${revokeWith('true', keys.revokeAll)}</p>`,
    },
    texts,
  );
};

const apiKeysPageOf = (audience: Audience) => {
  const { path, below, navigation }: Place = PLACES[audience];
  return listPage({
    list: keysOf(audience),
    path,
    ...(navigation ? { navigation } : { below }),
    audience,
    mayUse: audience === 'merchant' ? ['listPeople'] : [],
    forms: {
      revoke: form({
        fields: { keyId: hidden(), descendants: hidden() },
        uses: ['revokeApiKey'],
        async submit(call, { keyId: id, descendants }) {
          const { data } = await call.call('revokeApiKey', { params: { id }, query: { descendants: descendants as 'true' } });
          return redirect(path, {
            flash: `${call.texts.keys.isRevoked(data.name)}${audience === 'merchant' ? cancelledText(data.cancelled) : ''}`,
          });
        },
      }),
    },
    title: ({ texts }) => texts.keys.title,
    actions: ({ texts }) => buttonLink(`${path}/new`, texts.keys.create, 'primary'),
    above: (call) => audience === 'merchant' && settingsTabs(call),
  });
};

/** The value is in the response of the form alone: it is stored nowhere. */
const newApiKeyPageOf = (audience: Audience) => {
  const { path, below, scopes: all, full }: Place = PLACES[audience];
  return page({
    path: `${path}/new`,
    audience,
    below,
    uses: ['createApiKey'],
    forms: {
      main: form({
        fields: {
          name: text({
            label: ({ keys }) => keys.name,
            hint: ({ keys }) => keys.nameHint,
            required: true,
            maxLength: 100,
          }),
          access: radios<Preset | 'scopes', true>({ label: ({ keys }) => keys.access, path: 'preset', required: true }),
          scopes: checkboxes({ label: ({ keys }) => keys.scopes, options: all.map((value) => ({ value, label: value })) }),
          lastDay: date({ label: ({ keys }) => keys.lastDay, path: 'expiresAt', hint: ({ keys }) => keys.lastDayHint }),
        },
        uses: ['createApiKey'],
        async submit(call, { name, access, scopes, lastDay }) {
          const { keys } = call.texts;
          const rights = access === 'scopes' ? { scopes } : { preset: access };
          const expiry = lastDay === undefined ? {} : { expiresAt: lastDay };
          const { key, value } = (await call.call('createApiKey', { body: { name, ...rights, ...expiry } })).data;
          return {
            title: keys.isCreated,
            content: html`${notice(html`<p>${keys.copyNow}</p>`, 'warning')}<p>${copyable(value, call.texts)}</p>${facts([
              [keys.name, key.name],
              [keys.scopes, key.scopes.join(', ')],
              [keys.expires, timeOrNever(key.expiresAt, call)],
            ])}<p>${buttonLink(path, keys.toKeys)}</p>`,
          };
        },
      }),
    },
    view({ texts: { keys } }, { main }) {
      const options = [
        { value: full, label: keys.full, hint: keys.fullHint },
        { value: 'readonly', label: keys.readOnly, hint: keys.readOnlyHint },
        { value: 'scopes', label: keys.chosen, hint: keys.chosenHint },
      ];
      const filled = main.fill({ access: 'scopes' });
      const content = [
        filled.field('name'),
        filled.field('access', { options }),
        filled.field('scopes'),
        filled.field('lastDay'),
      ];
      return { title: keys.create, content: filled.render({ submit: keys.create, content }) };
    },
  });
};

export const apiKeysPage = apiKeysPageOf('merchant');
export const newApiKeyPage = newApiKeyPageOf('merchant');
export const portalKeysPage = apiKeysPageOf('affiliate');
export const newPortalKeyPage = newApiKeyPageOf('affiliate');
