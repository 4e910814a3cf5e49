import { buttonLink, emptyState, notice } from '../../components/blocks.ts';
import { hidden, text } from '../../components/fields.ts';
import { table } from '../../components/table.ts';
import { type Html, html } from '../../html.ts';
import { nameOf } from '../../name.ts';
import { form, type PageCall, page, redirect } from '../../page.ts';
import type { Texts } from '../../texts/texts.ts';
import { settingsTabs } from '../settings/settings-tabs.ts';
import { passkeyForm, problemWith } from './proof-forms.ts';

/** Merchants find it among the settings, affiliates in the navigation. */
const PLACES = {
  merchant: { path: '/console/settings/passkeys', below: '/console/settings' },
  affiliate: { path: '/portal/passkeys', navigation: { label: (texts: Texts) => texts.signIn.passkeys, icon: 'key' } },
} as const;

type PersonAudience = keyof typeof PLACES;

export const passkeysPathOf = (audience: PersonAudience): string => PLACES[audience].path;

const addFields = {
  name: text({
    label: ({ signIn }) => signIn.passkeyName,
    hint: ({ signIn }) => signIn.passkeyNameHint,
    required: true,
    maxLength: 100,
  }),
  challengeId: hidden(),
  response: hidden(),
};

/** Stops the replacement that somebody asked for. */
const keep = form({
  fields: {},
  uses: ['keepPasskeys'],
  async submit(call) {
    await call.call('keepPasskeys');
    return redirect(call.path, { flash: call.texts.signIn.passkeysKept });
  },
});

/** How a person signs in, and proves who they are. */
const passkeysPageOf = (audience: PersonAudience) => {
  const { path } = PLACES[audience];
  return page({
    ...PLACES[audience],
    audience,
    uses: ['listPasskeys'],
    forms: {
      start: form({
        fields: {},
        uses: ['startPasskeyRegistration'],
        async submit(call) {
          const { signIn } = call.texts;
          const { challengeId, options } = (await call.call('startPasskeyRegistration')).data;
          const added = passkeyForm(call, {
            kind: 'create',
            name: 'add',
            action: path,
            fields: addFields,
            values: { challengeId, response: '' },
            options,
            submit: signIn.addPasskey,
          });
          return { title: signIn.addPasskey, content: html`<p>${signIn.passkeyAsks}</p>${added}` };
        },
      }),
      add: form({
        fields: addFields,
        uses: ['registerPasskey'],
        async submit(call, body) {
          const result = await call.attempt('registerPasskey', { body });
          if ('error' in result) {
            const flash = result.status === 401 ? problemWith(body.response, call.texts) : result.error.message;
            return redirect(path, { flash, tone: 'bad' });
          }
          return redirect(path, { flash: call.texts.signIn.passkeyAdded(body.name) });
        },
      }),
      keep,
      remove: form({
        fields: { passkeyId: hidden() },
        uses: ['deletePasskey'],
        async submit(call, { passkeyId: id }) {
          const { data } = await call.call('deletePasskey', { params: { id } });
          return redirect(path, { flash: call.texts.signIn.passkeyDeleted(data.name) });
        },
      }),
    },
    async view(call, { start, keep, remove }) {
      const { texts, format } = call;
      const { signIn } = texts;
      const { data } = await call.call('listPasskeys');
      const isMerchant = audience === 'merchant';
      return {
        title: signIn.passkeys,
        content: html`${isMerchant && settingsTabs(call)}${replacementNotice(call, keep.render({ submit: signIn.keepPasskeys, isInline: true }))}<p>${signIn.passkeysText}${isMerchant && ` ${signIn.passkeysNeeded}`}</p>${table(
          {
            caption: signIn.passkeys,
            rows: data,
            columns: [
              { head: signIn.passkeyName, cell: ({ name }) => nameOf(name) },
              { head: signIn.passkeyAddedAt, cell: ({ createdAt }) => format.time(createdAt) },
              {
                head: signIn.lastSeen,
                cell: ({ lastUsedAt }) => (lastUsedAt === null ? signIn.never : format.time(lastUsedAt)),
              },
              {
                head: signIn.deletePasskey,
                cell: ({ id }) =>
                  remove.fill({ passkeyId: id }).render({ submit: signIn.deletePasskey, isInline: true, tone: 'danger' }),
              },
            ],
            empty: emptyState({ icon: 'key', title: signIn.noPasskeys, text: signIn.noPasskeysText }),
          },
        )}${start.render({ submit: signIn.addPasskey })}`,
      };
    },
  });
};

export const passkeysPage = passkeysPageOf('merchant');
export const portalPasskeysPage = passkeysPageOf('affiliate');

/** For a person whose passkeys somebody has replaced. `next` is what they can do about it. */
const replacementNotice = ({ person, texts, format }: NoticeOf, next: Html): Html | false => {
  const endAt = person?.passkeysEndAt;
  if (!endAt) return false;
  return notice(html`<p>${texts.signIn.passkeysEnd} ${format.time(endAt.toISOString())}.</p>${next}`, 'warning');
};

type NoticeOf = Pick<PageCall, 'person' | 'texts' | 'format' | 'allows'>;

/** For a person who has none yet, or who is about to lose them. */
export const passkeyOffer = (call: NoticeOf, audience: PersonAudience): Html | false => {
  const { person, texts } = call;
  if (!call.allows('listPasskeys')) return false;
  const ending = replacementNotice(call, buttonLink(passkeysPathOf(audience), texts.signIn.passkeys));
  if (ending) return ending;
  const actor = person?.[audience]?.actor;
  if (actor?.kind !== 'person' || actor.proof.hasPasskey) return false;
  const { passkeyOffer: offer, addPasskey } = texts.signIn;
  return notice(html`<p>${offer}</p>${buttonLink(passkeysPathOf(audience), addPasskey)}`);
};
