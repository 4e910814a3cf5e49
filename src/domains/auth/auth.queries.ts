import type { Context } from '../../platform/context.ts';
import { lockName } from '../../platform/database/lock-name.ts';
import { firstRow, rows, sql } from '../../platform/database/sql.ts';
import type { Page } from '../../platform/http/operation.ts';
import { listPage, type PageQuery } from '../../platform/http/pages.ts';
import { type KeyView, type StoredKey, toKey } from './auth.wire.ts';

/** Keys of one owner, newest first, including revoked and expired ones. */
export const listApiKeys = (ctx: Context, ownerId: string, query: PageQuery): Promise<Page<KeyView>> =>
  listPage(ctx, query, {
    name: 'keys',
    columns: sql<StoredKey>`id, name, key_type as "keyType", prefix, last_four as "lastFour", scopes,
      created_by as "createdBy", created_at as "createdAt", last_used_at as "lastUsedAt", expires_at as "expiresAt",
      revoked_at as "revokedAt"`,
    from: sql`api_key`,
    where: [sql`owner_id = ${ownerId}::uuid`],
    toItem: toKey,
  });

/** Keys of one owner that are neither revoked nor expired. */
export const countActiveKeys = async (ctx: Context, ownerId: string): Promise<number> => {
  const now = ctx.clock.now().toISOString();
  const row = await firstRow(
    ctx.em,
    sql<{ active: number }>`select count(*)::int as active from api_key where owner_id = ${ownerId}::uuid
      and revoked_at is null and (expires_at is null or expires_at > ${now}::timestamptz)`,
  );
  return row?.active ?? 0;
};

/** Serializes creation and revocation of an owner's keys until the transaction ends. */
export const lockKeysOf = (ctx: Context, ownerId: string): Promise<number> => lockName(ctx, `keys:${ownerId}`);

/** Active keys that were created with a key, or with a key that was created with it, and so on. */
export const findActiveDescendants = async (ctx: Context, keyId: string): Promise<string[]> => {
  const now = ctx.clock.now().toISOString();
  const found = await rows(
    ctx.em,
    sql<{ id: string }>`with recursive made as (
        select id, revoked_at, expires_at from api_key where created_by = ${keyId}::uuid
        union
        select k.id, k.revoked_at, k.expires_at from api_key k join made on k.created_by = made.id)
      select id from made where revoked_at is null and (expires_at is null or expires_at > ${now}::timestamptz) order by id`,
  );
  return found.map(({ id }) => id);
};
