import { badge } from '../../components/blocks.ts';
import { hidden } from '../../components/fields.ts';
import { table } from '../../components/table.ts';
import { html } from '../../html.ts';
import { form, page, redirect } from '../../page.ts';

const sessionsPageOf = (audience: 'merchant' | 'affiliate', at: '/console/sessions' | '/portal') =>
  page({
    path: at,
    audience,
    navigation: { label: (texts) => texts.signIn.sessions, icon: 'key' },
    uses: ['listSessions'],
    forms: {
      end: form({
        fields: { sessionId: hidden() },
        uses: ['revokeSession'],
        async submit(call, { sessionId: id }) {
          await call.call('revokeSession', { params: { id } });
          return redirect(at, { flash: call.texts.signIn.sessionEnded });
        },
      }),
    },
    async view(call, { end }) {
      const { texts, format } = call;
      const { data } = await call.call('listSessions');
      return {
        title: texts.signIn.sessions,
        content: table({
          caption: texts.signIn.sessions,
          rows: data,
          empty: html``,
          columns: [
            { head: texts.signIn.device, cell: ({ device }) => device ?? texts.signIn.unknownDevice },
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
        }),
      };
    },
  });

export const consoleSessionsPage = sessionsPageOf('merchant', '/console/sessions');
export const portalSessionsPage = sessionsPageOf('affiliate', '/portal');
