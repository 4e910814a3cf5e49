import type { Context } from '../../platform/context.ts';
import { firstRow, sql, toIso, toIsoOrNull } from '../../platform/database/sql.ts';
import type { Page } from '../../platform/http/operation.ts';
import { listPage, type PageQuery } from '../../platform/http/pages.ts';
import type { KeyView } from './auth.wire.ts';

interface KeyRow {
  id: string;
  name: string;
  key_type: KeyView['keyType'];
  prefix: string;
  last_four: string;
  scopes: KeyView['scopes'];
  created_by: string | null;
  created_at: string;
  last_used_at: string | null;
  expires_at: string | null;
  revoked_at: string | null;
}

/** Keys of one owner, newest first, revoked ones included: the list is also the record. */
export const listApiKeys = (ctx: Context, ownerId: string, query: PageQuery): Promise<Page<KeyView>> =>
  listPage(ctx, query, {
    name: 'keys',
    columns: sql<KeyRow>`id, name, key_type, prefix, last_four, scopes, created_by, created_at, last_used_at, expires_at, revoked_at`,
    from: sql`api_key`,
    where: [sql`owner_id = ${ownerId}::uuid`],
    toItem: (row) => ({
      id: row.id,
      name: row.name,
      keyType: row.key_type,
      prefix: row.prefix,
      lastFour: row.last_four,
      scopes: row.scopes,
      createdBy: row.created_by,
      createdAt: toIso(row.created_at),
      lastUsedAt: toIsoOrNull(row.last_used_at),
      expiresAt: toIsoOrNull(row.expires_at),
      revokedAt: toIsoOrNull(row.revoked_at),
    }),
  });

export const countLiveKeys = async (ctx: Context, ownerId: string): Promise<number> => {
  const now = ctx.clock.now().toISOString();
  const counted = await firstRow(
    ctx.em,
    sql<{ live: number }>`select count(*)::int as live from api_key where owner_id = ${ownerId}::uuid
      and revoked_at is null and (expires_at is null or expires_at > ${now}::timestamptz)`,
  );
  return counted?.live ?? 0;
};
