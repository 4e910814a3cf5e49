import { RATE_WINDOW_MS } from '../../contracts/limits.ts';
import type { BillingTier } from '../../contracts/programs.ts';
import type { Scope } from '../../contracts/scopes.ts';
import { after, DAY_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import type { Given } from '../../platform/database/compiled.ts';
import { lockName } from '../../platform/database/lock-name.ts';
import { expressionBuilder, firstRow, type RawBuilder, rows, sql } from '../../platform/database/sql.ts';
import { forbidden, invariant } from '../../platform/errors.ts';
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

const isAfter = (column: 'revokedAt' | 'expiresAt', time: Date) =>
  eb.or([eb(column, 'is', null), eb(column, '>', time.toISOString())]);

/** Neither revoked nor expired. */
export const isActive = (ctx: Context) => eb.and([eb('revokedAt', 'is', null), isAfter('expiresAt', ctx.clock.now())]);

export interface KeyCounts {
  active: number;
  /** With those that ended within the window of the rate limit: each may have used up its own. */
  recent: number;
  /** Created by other keys in the last 24 hours. */
  createdToday: number;
  /** Says how many keys the owner may have; null for a person. */
  tier: BillingTier | null;
}

export const countKeys = async (ctx: Context, ownerId: string): Promise<KeyCounts> => {
  const now = ctx.clock.now();
  const count = (where: ReturnType<typeof isActive>) =>
    db
      .selectFrom('api_key')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('ownerId', '=', ownerId)
      .where(where);
  const since = after(now, -RATE_WINDOW_MS);
  const isOfToday = eb.and([eb('createdBy', 'is not', null), eb('createdAt', '>', after(now, -DAY_MS).toISOString())]);
  const row = await firstRow(
    ctx.em,
    db.selectNoFrom([
      count(isActive(ctx)).as('active'),
      count(eb.and([isAfter('revokedAt', since), isAfter('expiresAt', since)])).as('recent'),
      count(isOfToday).as('createdToday'),
      db.selectFrom('merchant').select('billingTier').where('id', '=', ownerId).as('tier'),
    ]),
  );
  invariant(row, 'a select without a table has a row');
  return { ...row, active: row.active ?? 0, recent: row.recent ?? 0, createdToday: row.createdToday ?? 0 };
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

/** For what a key signed before: FORBIDDEN when it was revoked, has expired or lacks the scope. */
export const assertKeyAllowed = async (ctx: Context, { keyId, scope }: { keyId: string; scope: Scope }): Promise<void> => {
  const key = await firstRow(ctx.em, db.selectFrom('api_key').select('scopes').where('id', '=', keyId).where(isActive(ctx)));
  if (!key?.scopes.includes(scope)) throw forbidden('The API key that created this URL is not valid any more');
};

/** E-mail addresses, and account numbers with or without letters. */
const PERSONAL = '[^[:space:]]+@[^[:space:]]+|[A-Z]{2}[0-9]{2}[ ]?[A-Z0-9][A-Z0-9 ]{6,}|[0-9][0-9 -]{6,}[0-9]';
const MAX_LENGTH = 200;

/** Text of a person, as workflows show it: their histories are not encrypted. */
export const shownText = (text: RawBuilder<unknown>): RawBuilder<string | null> =>
  sql<string | null>`left(regexp_replace(${text}, ${sql.lit(PERSONAL)}, '…', 'g'), ${sql.lit(MAX_LENGTH)})`;

/** The name of a key. */
export const shownKey = (id: RawBuilder<unknown>): RawBuilder<string | null> =>
  sql<string | null>`(select ${shownText(sql`name`)} from api_key where id = ${id})`;

/** The name of the key, or of the part of the system, that `actorName` names. */
export const shownActor = (actor: RawBuilder<unknown>): RawBuilder<string | null> =>
  sql<string | null>`coalesce(${shownKey(sql`substring(${actor} from '^key:([0-9a-f-]{36})$')::uuid`)}, ${actor})`;
