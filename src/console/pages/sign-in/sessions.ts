import { badge } from '../../components/blocks.ts';
import { hidden } from '../../components/fields.ts';
import { table } from '../../components/table.ts';
import { html } from '../../html.ts';
import { form, page, redirect } from '../../page.ts';
import type { Texts } from '../../texts/texts.ts';
import { settingsTabs } from '../settings/settings-tabs.ts';
import { deviceName } from './device-name.ts';

/** Merchants find it among the settings, affiliates in the navigation. */
const PLACES = {
  merchant: { path: '/console/settings/sessions', below: '/console/settings' },
  affiliate: { path: '/portal/sessions', navigation: { label: (texts: Texts) => texts.signIn.sessions, icon: 'key' } },
} as const;

const sessionsPageOf = (audience: keyof typeof PLACES) =>
  page({
    ...PLACES[audience],
    audience,
    uses: ['listSessions'],
    forms: {
      end: form({
        fields: { sessionId: hidden() },
        uses: ['revokeSession'],
        async submit(call, { sessionId: id }) {
          await call.call('revokeSession', { params: { id } });
          return redirect(call.path, { flash: call.texts.signIn.sessionEnded });
        },
      }),
    },
    async view(call, { end }) {
      const { texts, format } = call;
      const { data } = await call.call('listSessions');
      return {
        title: texts.signIn.sessions,
        content: html`${audience === 'merchant' && settingsTabs(call)}${table({
          caption: texts.signIn.sessions,
          rows: data,
          empty: html``,
          columns: [
            {
              head: texts.signIn.device,
              cell: ({ device }) => (device === null ? texts.signIn.unknownDevice : deviceName(device)),
            },
            { head: texts.signIn.lastSeen, cell: ({ lastSeenAt }) => format.time(lastSeenAt) },
            { head: texts.signIn.since, cell: ({ createdAt }) => format.time(createdAt) },
            {
              head: texts.signIn.end,
              cell: ({ id, isCurrent }) =>
                isCurrent
                  ? badge(texts.signIn.thisOne, 'good')
                  : end.fill({ sessionId: id }).render({ submit: texts.signIn.end, isInline: true, tone: 'danger' }),
            },
          ],
        })}`,
      };
    },
  });

export const consoleSessionsPage = sessionsPageOf('merchant');
export const portalSessionsPage = sessionsPageOf('affiliate');
