import type { BillingTier } from '../../contracts/programs.ts';
import type { Scope } from '../../contracts/scopes.ts';
import type { Context } from '../../platform/context.ts';
import type { Given } from '../../platform/database/compiled.ts';
import { lockName } from '../../platform/database/lock-name.ts';
import { expressionBuilder, firstRow, rows } from '../../platform/database/sql.ts';
import { list } from '../../platform/http/lists.ts';
import type { Page } from '../../platform/http/operation.ts';
import type { PageQuery } from '../../platform/http/pages.ts';
import { db, type Tables } from '../tables.ts';
import { type KeyView, toKey } from './auth.wire.ts';

const keys = list({
  name: 'keys',
  query: ({ ownerId }: Given<{ ownerId: string }>) =>
    db
      .selectFrom('api_key')
      .select([
        'id',
        'name',
        'keyType',
        'prefix',
        'lastFour',
        'scopes',
        'createdBy',
        'createdAt',
        'lastUsedAt',
        'expiresAt',
        'revokedAt',
      ])
      .where('ownerId', '=', ownerId),
  toItem: toKey,
});

/** Keys of one owner, newest first, including revoked and expired ones. */
export const listApiKeys = (ctx: Context, ownerId: string, page: PageQuery): Promise<Page<KeyView>> =>
  keys(ctx, page, { ownerId });

const eb = expressionBuilder<Tables, 'api_key'>();

/** Neither revoked nor expired. */
export const isActive = (ctx: Context) =>
  eb.and([
    eb('revokedAt', 'is', null),
    eb.or([eb('expiresAt', 'is', null), eb('expiresAt', '>', ctx.clock.now().toISOString())]),
  ]);

/** How many keys an owner has, and the tier that says how many they may have; null for a person. */
export const countActiveKeys = async (ctx: Context, ownerId: string): Promise<{ active: number; tier: BillingTier | null }> => {
  const row = await firstRow(
    ctx.em,
    db.selectNoFrom(({ fn, selectFrom }) => [
      selectFrom('api_key')
        .select(fn.countAll<number>().as('count'))
        .where('ownerId', '=', ownerId)
        .where(isActive(ctx))
        .as('active'),
      selectFrom('merchant').select('billingTier').where('id', '=', ownerId).as('tier'),
    ]),
  );
  return { active: row?.active ?? 0, tier: row?.tier ?? null };
};

/** Serializes creation and revocation of an owner's keys until the transaction ends. */
export const lockKeysOf = (ctx: Context, ownerId: string): Promise<number> => lockName(ctx, `keys:${ownerId}`);

/** Active keys that were created with a key, or with a key that was created with it, and so on. */
export const findActiveDescendants = async (ctx: Context, keyId: string): Promise<string[]> => {
  const found = await rows(
    ctx.em,
    db
      .withRecursive('made', (cte) =>
        cte
          .selectFrom('api_key')
          .select(['id', 'revokedAt', 'expiresAt'])
          .where('createdBy', '=', keyId)
          .union(
            cte
              .selectFrom('api_key as k')
              .innerJoin('made', 'made.id', 'k.createdBy')
              .select(['k.id', 'k.revokedAt', 'k.expiresAt']),
          ),
      )
      .selectFrom('made')
      .select('id')
      .where(isActive(ctx))
      .orderBy('id'),
  );
  return found.map(({ id }) => id);
};

/** Whether a key is active and has this scope: for what it signed before. */
export const isKeyAllowed = async (ctx: Context, { keyId, scope }: { keyId: string; scope: Scope }): Promise<boolean> => {
  const key = await firstRow(ctx.em, db.selectFrom('api_key').select('scopes').where('id', '=', keyId).where(isActive(ctx)));
  return key?.scopes.includes(scope) ?? false;
};
