import { LockMode } from '@mikro-orm/core';
import { recordChange, valuesOf } from '../../../platform/audit-log/record-change.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { readOwned } from '../../../platform/ownership.ts';
import { ApiKey } from '../api-key.entity.ts';
import { findActiveDescendants, lockKeysOf } from '../auth.queries.ts';

export interface RevokedApiKey {
  key: ApiKey;
  /** Keys created with this one, directly or not, that are still active. */
  descendants: number;
}

/**
 * Takes effect immediately on all processes. With `descendants`, keys created with this one are revoked too. Revoking a
 * revoked key keeps its time.
 */
export const revokeApiKey = (ctx: Context, input: { id: string; descendants?: boolean | undefined }): Promise<RevokedApiKey> =>
  inTransaction(ctx, async (ctx) => {
    const key = readOwned(ctx, 'API key', await ctx.em.findOne(ApiKey, { id: input.id }));
    // No key can be created with one of these while they are revoked.
    await lockKeysOf(ctx, key.ownerId);
    const descendants = await findActiveDescendants(ctx, key.id);
    await revokeAll(ctx, input.descendants ? [key.id, ...descendants] : [key.id]);
    return { key, descendants: input.descendants ? 0 : descendants.length };
  });

const revokeAll = async (ctx: Context, ids: readonly string[]): Promise<void> => {
  const keys = await ctx.em.find(
    ApiKey,
    { id: { $in: [...ids] } },
    { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true, orderBy: { id: 'asc' } },
  );
  for (const key of keys) {
    const before = valuesOf(key, ['revokedAt']);
    key.revoke(ctx.clock.now());
    const { id: resourceId, ownerId } = key;
    const after = valuesOf(key, ['revokedAt']);
    if (!before.revokedAt) await recordChange(ctx, { ownerId, action: 'api_key.revoked', resourceId, before, after });
    ctx.broadcasts.push({ channel: 'key-changed', text: key.id });
  }
};
