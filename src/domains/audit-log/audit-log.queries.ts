import { type AuditAction, actionsOf } from '../../contracts/audit-log.ts';
import { type Context, merchantOf } from '../../platform/context.ts';
import type { Given } from '../../platform/database/compiled.ts';
import { rows, sql } from '../../platform/database/sql.ts';
import { anyOf } from '../../platform/database/table.ts';
import { type CsvUrl, createCsvUrl, csvDownload } from '../../platform/http/csv-download.ts';
import { list } from '../../platform/http/lists.ts';
import type { Page } from '../../platform/http/operation.ts';
import type { PageQuery } from '../../platform/http/pages.ts';
import { db } from '../tables.ts';
import { type AuditLogEntryView, type AuditLogFilter, auditLogFilter, toAuditLogEntry } from './audit-log.wire.ts';

interface StoredFilter {
  merchantId: string;
  actors?: readonly string[] | undefined;
  actions?: readonly AuditAction[] | undefined;
  resourceId?: string | undefined;
  startDate?: string | undefined;
  endDate?: string | undefined;
}

const idOf = (kind: 'key' | 'person') =>
  sql<string>`case when l.actor like ${sql.lit(`${kind}:%`)} then substr(l.actor, ${sql.lit(kind.length + 2)})::uuid end`;

/** Newest first. */
const entries = list({
  name: 'audit-log',
  query: ({ merchantId, actors, actions, resourceId, startDate, endDate }: Given<StoredFilter>) => {
    let query = db
      .selectFrom('audit_log as l')
      .leftJoin('api_key as k', (join) => join.on('k.id', '=', idOf('key')))
      .leftJoin('person as h', (join) => join.on('h.id', '=', idOf('person')))
      .select(sql<string | null>`coalesce(k.name, h.name)`.as('actorName'))
      .select(['l.id', 'l.actor', 'l.address', 'l.requestId', 'l.action', 'l.resourceId'])
      .select(['l.changes', 'l.createdAt'])
      .where('l.ownerId', '=', merchantId);
    if (actors) query = query.where('l.actor', '=', anyOf(actors));
    if (actions) query = query.where('l.action', '=', anyOf(actions));
    if (resourceId) query = query.where('l.resourceId', '=', resourceId);
    if (startDate) query = query.where('l.createdAt', '>=', startDate);
    if (endDate) query = query.where('l.createdAt', '<', endDate);
    return query;
  },
  sort: { key: sql.ref('l.createdAt'), id: sql.ref('l.id'), type: 'timestamptz', ascending: false },
  toItem: toAuditLogEntry,
});

/** A person, and the keys that they made for the merchant: looked up first, so that entries are found by an index. */
const actorsOf = async (ctx: Context, merchantId: string, personId: string): Promise<string[]> => {
  const keys = await rows(
    ctx.em,
    db.selectFrom('api_key').select('id').where('lineId', '=', personId).where('ownerId', '=', merchantId),
  );
  return [`person:${personId}`, ...keys.map(({ id }) => `key:${id}`)];
};

const storedFilter = async (
  ctx: Context,
  merchantId: string,
  { actor, personId, action, resourceType, resourceId, startDate, endDate }: AuditLogFilter,
): Promise<StoredFilter> => {
  const ofType = resourceType && actionsOf(resourceType);
  const ofPerson = personId === undefined ? undefined : await actorsOf(ctx, merchantId, personId);
  return {
    merchantId,
    actors: actor === undefined ? ofPerson : [actor].filter((only) => ofPerson?.includes(only) ?? true),
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
): Promise<AuditLogEntryView[]> => (await entries(ctx, { limit }, await storedFilter(ctx, ownerId, filter))).items;

export const listAuditLog = async (ctx: Context, query: PageQuery & AuditLogFilter): Promise<Page<AuditLogEntryView>> =>
  entries(ctx, query, await storedFilter(ctx, merchantOf(ctx), query));

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
  source(ctx, { merchantId, ...filter }) {
    const source = async () => entries.all(ctx, await storedFilter(ctx, merchantId, filter));
    return {
      async *batches() {
        yield* (await source()).batches();
      },
      exceeds: async (max) => (await source()).exceeds(max),
    };
  },
});

export const exportAuditLog = (ctx: Context, filter: AuditLogFilter): Promise<CsvUrl> => createCsvUrl(ctx, auditLogCsv, filter);
