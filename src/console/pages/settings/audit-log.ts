import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import { AUDIT_RESOURCES } from '../../../contracts/audit-log.ts';
import { buttonLink, emptyState } from '../../components/blocks.ts';
import { filters, pager, table } from '../../components/table.ts';
import { attributes, type Child, type Html, html } from '../../html.ts';
import { queryOf } from '../../list-query.ts';
import { nameOf } from '../../name.ts';
import { type PageCall, page, redirectToSigned } from '../../page.ts';
import { path, url } from '../../url.ts';
import { settingsTabs } from './settings-tabs.ts';

type Entry = OperationSuccess<'listAuditLog'>['data'][number];

const LIST = '/console/settings/audit-log';
const FILTERS = ['personId', 'resourceType', 'actor', 'action', 'resourceId'] as const;

const inWords = (name: string): string => name.replace('.', ': ').replaceAll('_', ' ');

const rangeOf = ({ query: { from, until } }: Pick<PageCall, 'query'>): { startDate?: string; endDate?: string } => ({
  ...(from ? { startDate: from } : {}),
  ...(until ? { endDate: until } : {}),
});

const valueText = (value: unknown): string => {
  if (value === null || value === undefined) return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

const changeText = ({ field, old, new: now, hidden }: Entry['changes'][number]): string => {
  if (hidden) return `${field}: changed, not shown`;
  return old === null ? `${field}: ${valueText(now)}` : `${field}: ${valueText(old)} → ${valueText(now)}`;
};

const changesOf = ({ changes }: Entry): Html | string =>
  changes.length === 0
    ? '–'
    : html`<details><summary>${changes.map(({ field }) => field).join(', ')}</summary><ul>${changes.map((change) => html`<li>${changeText(change)}</li>`)}</ul></details>`;

const only = (query: Readonly<Record<string, string>>, text: Child): Html =>
  html`<a href="${url(path(LIST, {}, query))}">${text}</a>`;

/** Who changed what, when and from where. */
export const auditLogPage = page({
  path: LIST,
  audience: 'merchant',
  below: '/console/settings',
  uses: ['listAuditLog'],
  mayUse: ['listPeople', 'exportAuditLog'],
  async view(call) {
    const query = { ...queryOf(call, FILTERS), ...rangeOf(call) };
    const { data, meta } = await call.call('listAuditLog', { query: { ...query, ...queryOf(call, ['cursor', 'limit']) } });
    const people = call.allows('listPeople') ? (await call.call('listPeople')).data : [];
    const exported = { ...queryOf(call, FILTERS), ...queryOf(call, ['from', 'until']) };
    return {
      title: 'Audit log',
      actions:
        call.allows('exportAuditLog') &&
        html`<a class="button secondary" href="${url(path(`${LIST}/export`, {}, exported))}"${attributes({ 'hx-boost': 'false' })}>${call.texts.kit.export}</a>`,
      content: html`${settingsTabs(call)}${filters(call, [
        {
          name: 'personId',
          label: 'By, with keys they made',
          options: people.map(({ personId: value, name: label }) => ({ value, label })),
        },
        {
          name: 'resourceType',
          label: 'What was changed',
          options: AUDIT_RESOURCES.map((value) => ({ value, label: inWords(value) })),
        },
        { name: 'from', label: 'From, such as 2026-01-31' },
        { name: 'until', label: 'Until, that day included' },
      ])}${table({
        caption: 'Audit log',
        rows: data,
        columns: [
          { head: 'When', cell: ({ createdAt }) => call.format.time(createdAt) },
          {
            head: 'Who',
            cell: ({ actor, actorName }) =>
              only({ actor }, actorName === null ? inWords(actor.replace(/^system:/, '')) : nameOf(actorName)),
          },
          { head: 'What', cell: ({ action, resourceId }) => only({ resourceId }, inWords(action)) },
          { head: 'Changes', cell: changesOf },
          { head: 'From', cell: ({ address }) => address ?? '–' },
        ],
        empty:
          Object.keys(query).length > 0
            ? emptyState({
                icon: 'search',
                title: 'Nothing matches these filters',
                action: buttonLink(LIST, 'Show all entries'),
              })
            : emptyState({ icon: 'book', title: 'Nothing was changed yet' }),
      })}${data.length > 0 && pager(call, meta, data.length)}`,
    };
  },
});

/** Leads to the file: its address is made for each download. */
export const auditLogExportPage = page({
  path: `${LIST}/export`,
  audience: 'merchant',
  below: '/console/settings',
  uses: ['exportAuditLog'],
  async view(call) {
    const query = { ...queryOf(call, FILTERS), ...rangeOf(call) };
    const { data } = await call.call('exportAuditLog', { query });
    return redirectToSigned(data.url);
  },
});
