import { type AuditAction, actionsOf } from '../../contracts/audit-log.ts';
import { type Context, merchantOf } from '../../platform/context.ts';
import type { Given } from '../../platform/database/compiled.ts';
import { sql } from '../../platform/database/sql.ts';
import { anyOf } from '../../platform/database/table.ts';
import { type CsvUrl, createCsvUrl, csvDownload } from '../../platform/http/csv-download.ts';
import { list } from '../../platform/http/lists.ts';
import type { Page } from '../../platform/http/operation.ts';
import type { PageQuery } from '../../platform/http/pages.ts';
import { db } from '../tables.ts';
import { type AuditLogEntryView, type AuditLogFilter, auditLogFilter, toAuditLogEntry } from './audit-log.wire.ts';

interface StoredFilter {
  merchantId: string;
  actor?: string | undefined;
  actions?: readonly AuditAction[] | undefined;
  resourceId?: string | undefined;
  startDate?: string | undefined;
  endDate?: string | undefined;
}

const KEY_ID = sql<string>`case when l.actor like 'key:%' then substr(l.actor, 5)::uuid end`;

/** Newest first. */
const entries = list({
  name: 'audit-log',
  query: ({ merchantId, actor, actions, resourceId, startDate, endDate }: Given<StoredFilter>) => {
    let query = db
      .selectFrom('audit_log as l')
      .leftJoin('api_key as k', (join) => join.on('k.id', '=', KEY_ID))
      .select(['l.id', 'l.actor', 'k.name as actorName', 'l.address', 'l.requestId', 'l.action', 'l.resourceId'])
      .select(['l.changes', 'l.createdAt'])
      .where('l.ownerId', '=', merchantId);
    if (actor) query = query.where('l.actor', '=', actor);
    if (actions) query = query.where('l.action', '=', anyOf(actions));
    if (resourceId) query = query.where('l.resourceId', '=', resourceId);
    if (startDate) query = query.where('l.createdAt', '>=', startDate);
    if (endDate) query = query.where('l.createdAt', '<', endDate);
    return query;
  },
  sort: { key: sql.ref('l.createdAt'), id: sql.ref('l.id'), type: 'timestamptz', ascending: false },
  toItem: toAuditLogEntry,
});

const storedFilter = (
  merchantId: string,
  { actor, action, resourceType, resourceId, startDate, endDate }: AuditLogFilter,
): StoredFilter => {
  const ofType = resourceType && actionsOf(resourceType);
  return {
    merchantId,
    actor,
    actions: action ? [action].filter((only) => ofType?.includes(only) ?? true) : ofType,
    resourceId,
    startDate,
    endDate,
  };
};

/** The newest entries of a merchant, a person or the installation, for the operator. */
export const listEntriesOf = async (
  ctx: Context,
  ownerId: string,
  { limit, ...filter }: AuditLogFilter & { limit: number },
): Promise<AuditLogEntryView[]> => (await entries(ctx, { limit }, storedFilter(ownerId, filter))).items;

export const listAuditLog = (ctx: Context, query: PageQuery & AuditLogFilter): Promise<Page<AuditLogEntryView>> =>
  entries(ctx, query, storedFilter(merchantOf(ctx), query));

export const auditLogCsv = csvDownload({
  name: 'audit-log',
  scope: 'merchant:manage',
  filter: auditLogFilter,
  columns: {
    createdAt: ({ createdAt }: AuditLogEntryView) => createdAt,
    actor: ({ actor }) => actor,
    actorName: ({ actorName }) => actorName,
    address: ({ address }) => address,
    requestId: ({ requestId }) => requestId,
    action: ({ action }) => action,
    resourceType: ({ resourceType }) => resourceType,
    resourceId: ({ resourceId }) => resourceId,
    changes: ({ changes }) => JSON.stringify(changes),
    id: ({ id }) => id,
  },
  source: (ctx, { merchantId, ...filter }) => entries.all(ctx, storedFilter(merchantId, filter)),
});

export const exportAuditLog = (ctx: Context, filter: AuditLogFilter): Promise<CsvUrl> => createCsvUrl(ctx, auditLogCsv, filter);
