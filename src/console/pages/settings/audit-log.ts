import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import { AUDIT_RESOURCES } from '../../../contracts/audit-log.ts';
import { buttonLink } from '../../components/blocks.ts';
import { type Child, type Html, html } from '../../html.ts';
import { list, SIZES } from '../../list.ts';
import { listExport, listPage } from '../../list-page.ts';
import { nameOf } from '../../name.ts';
import { path, url } from '../../url.ts';
import { settingsTabs } from './settings-tabs.ts';

type Entry = OperationSuccess<'listAuditLog'>['data'][number];

const LIST = '/console/settings/audit-log';

const inWords = (name: string): string => name.replace('.', ': ').replaceAll('_', ' ');

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

const entries = list({
  id: 'audit',
  operation: 'listAuditLog',
  caption: () => 'Audit log',
  filters: [
    {
      name: 'personId',
      label: 'By, with keys they made',
      options: async (call) =>
        call.allows('listPeople')
          ? (await call.call('listPeople')).data.map(({ personId: value, name: label }) => ({ value, label }))
          : [],
    },
    {
      name: 'resourceType',
      label: 'What was changed',
      options: AUDIT_RESOURCES.map((value) => ({ value, label: inWords(value) })),
    },
    { name: 'from', as: 'startDate', label: 'From', type: 'date' },
    { name: 'until', as: 'endDate', label: 'Until', type: 'date' },
  ],
  linked: ['actor', 'action', 'resourceId'],
  sizes: SIZES,
  columns: ({ format }) => [
    { id: 'when', head: 'When', cell: ({ createdAt }) => format.time(createdAt) },
    {
      id: 'who',
      head: 'Who',
      cell: ({ actor, actorName }) =>
        only({ actor }, actorName === null ? inWords(actor.replace(/^system:/, '')) : nameOf(actorName)),
    },
    { id: 'what', head: 'What', cell: ({ action, resourceId }) => only({ resourceId }, inWords(action)) },
    { id: 'changes', head: 'Changes', cell: changesOf },
    { id: 'from', head: 'From', cell: ({ address }) => address ?? '–' },
  ],
  noMatch: () => ({
    icon: 'search',
    title: 'Nothing matches these filters',
    action: buttonLink(LIST, 'Show all entries'),
  }),
  empty: () => ({ icon: 'book', title: 'Nothing was changed yet' }),
});

/** Who changed what, when and from where. */
export const auditLogPage = listPage({
  list: entries,
  path: LIST,
  audience: 'merchant',
  below: '/console/settings',
  mayUse: ['listPeople'],
  title: () => 'Audit log',
  exportedBy: 'exportAuditLog',
  above: settingsTabs,
});

export const auditLogExportPage = listExport({
  list: entries,
  path: LIST,
  audience: 'merchant',
  below: '/console/settings',
  by: 'exportAuditLog',
});
