import { RATE_WINDOW_MS } from '../../contracts/limits.ts';
import { type Role, SCOPES_OF_ROLE } from '../../contracts/people.ts';
import type { BillingTier } from '../../contracts/programs.ts';
import { AFFILIATE_SCOPES, type Scope } from '../../contracts/scopes.ts';
import { after, DAY_MS } from '../../platform/clock.ts';
import { type Context, callerOf } from '../../platform/context.ts';
import type { Given } from '../../platform/database/compiled.ts';
import { lockName } from '../../platform/database/lock-name.ts';
import { expressionBuilder, firstRow, type RawBuilder, rows, sql } from '../../platform/database/sql.ts';
import { allOf } from '../../platform/database/table.ts';
import { forbidden, invariant } from '../../platform/errors.ts';
import { list } from '../../platform/http/lists.ts';
import type { Page } from '../../platform/http/operation.ts';
import type { PageQuery } from '../../platform/http/pages.ts';
import { db, type Tables } from '../tables.ts';
import { type KeyView, toKey } from './auth.wire.ts';

const KEY = [
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
] as const;

const keys = list({
  name: 'keys',
  query: ({ ownerId }: Given<{ ownerId: string }>) => db.selectFrom('api_key').select(KEY).where('ownerId', '=', ownerId),
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

/** Whether a person acts, or a key of their line that was made since. */
export const isPersonOrNewKey = async (ctx: Context, since: Date): Promise<boolean> => {
  const caller = callerOf(ctx);
  if (caller.kind !== 'key') return true;
  const found = db
    .selectFrom('api_key as k')
    .innerJoin('person as p', 'p.id', 'k.lineId')
    .select('k.id')
    .where('k.id', '=', caller.keyId)
    .where('k.createdAt', '>', since.toISOString());
  return (await firstRow(ctx.em, found)) !== null;
};

/** The keys that a person made for an account. */
export interface KeysOfPerson {
  personId: string;
  ownerId: string;
}

export interface RevokedKeys extends KeysOfPerson {
  keep?: readonly string[] | undefined;
  /** Only those that the person made since. Left out: all. */
  since?: Date;
  /** Only those with a scope beyond these. Left out: all. */
  beyond?: readonly Scope[];
}

/** Active keys that a person made, and those made with them, without those that are kept and what was made with these. */
export const findKeysMadeBy = async (
  ctx: Context,
  { personId, ownerId, keep = [], since, beyond = [] }: RevokedKeys,
): Promise<string[]> => {
  const found = await rows(
    ctx.em,
    db
      .withRecursive('made', (cte) =>
        cte
          .selectFrom('api_key')
          .select(['id', 'revokedAt', 'expiresAt'])
          .where('createdBy', '=', personId)
          .where('ownerId', '=', ownerId)
          .where('id', '<>', allOf(keep))
          .where('createdAt', '>', (since ?? new Date(0)).toISOString())
          .where(sql<boolean>`not (scopes <@ ${[...beyond]}::text[])`)
          .union(
            cte
              .selectFrom('api_key as k')
              .innerJoin('made', 'made.id', 'k.createdBy')
              .select(['k.id', 'k.revokedAt', 'k.expiresAt'])
              .where('k.id', '<>', allOf(keep)),
          ),
      )
      .selectFrom('made')
      .select('id')
      .where(isActive(ctx))
      .orderBy('id'),
  );
  return found.map(({ id }) => id);
};

/** The active keys that a person made for an account themselves, for whoever decides on them. */
export const listKeysMadeBy = async (ctx: Context, { personId, ownerId }: KeysOfPerson): Promise<KeyView[]> => {
  const made = await rows(
    ctx.em,
    db
      .selectFrom('api_key')
      .select(KEY)
      .where('createdBy', '=', personId)
      .where('ownerId', '=', ownerId)
      .where(isActive(ctx))
      .orderBy('createdAt', 'desc')
      .orderBy('id', 'desc'),
  );
  return made.map(toKey);
};

/**
 * Whether what a caller acted with still holds: a key that is neither revoked nor expired, the role of a person, or a profile that
 * somebody who signs in owns. A template: a condition of any statement.
 */
export const isGranted = (ctx: Context, grantId: RawBuilder<unknown>) => sql<boolean>`(
  exists (select from api_key as granted where granted.id = ${grantId} and granted.revoked_at is null
    and (granted.expires_at is null or granted.expires_at > ${ctx.clock.now().toISOString()}::timestamptz))
  or exists (select from person_role as granted where granted.id = ${grantId} and granted.removed_at is null)
  or exists (select from affiliate_profile as granted where granted.id = ${grantId} and granted.erased_at is null))`;

/** For what was signed before: whether the key or role with which it was signed has neither ended, nor lacks the scope. */
export const hasGrant = async (ctx: Context, { grantId, scope }: { grantId: string; scope: Scope }): Promise<boolean> => {
  const id = sql`${grantId}::uuid`;
  const grant = await firstRow(
    ctx.em,
    sql<{ scopes: Scope[] | null; role: Role | null }>`select
        (select scopes from api_key where id = ${id}) as scopes,
        (select role from person_role where id = ${id}) as role
      where ${isGranted(ctx, id)}`,
  );
  return grant !== null && scopesOf(grant).includes(scope);
};

/** As `hasGrant`: FORBIDDEN when the key or role has ended, or lacks the scope. */
export const assertGranted = async (ctx: Context, grant: { grantId: string; scope: Scope }): Promise<void> => {
  if (!(await hasGrant(ctx, grant))) throw forbidden('Whoever created this URL may not use it any more');
};

const scopesOf = ({ scopes, role }: { scopes: Scope[] | null; role: Role | null }): readonly Scope[] =>
  scopes ?? (role ? SCOPES_OF_ROLE[role] : AFFILIATE_SCOPES);

/** E-mail addresses, and account numbers with or without letters. */
const PERSONAL = '[^[:space:]]+@[^[:space:]]+|[A-Z]{2}[0-9]{2}[ ]?[A-Z0-9][A-Z0-9 ]{6,}|[0-9][0-9 -]{6,}[0-9]';
const MAX_LENGTH = 200;

/** Text of a person without personal data. */
const shownText = (text: RawBuilder<unknown>): RawBuilder<string | null> =>
  sql<string | null>`left(regexp_replace(${text}, ${sql.lit(PERSONAL)}, '…', 'g'), ${sql.lit(MAX_LENGTH)})`;

/** The name of a key or a person. */
const shownCaller = (id: RawBuilder<unknown>): RawBuilder<string | null> =>
  sql<string | null>`coalesce((select ${shownText(sql`name`)} from api_key where id = ${id}),
    (select ${shownText(sql`name`)} from person where id = ${id}))`;

const ACTOR_ID = sql.lit('^(?:key|person):([0-9a-f-]{36})$');

/** The name of the key, person or part of the system that `actorName` names. */
export const shownActor = (actor: RawBuilder<unknown>): RawBuilder<string | null> =>
  sql<string | null>`coalesce(${shownCaller(sql`substring(${actor} from ${ACTOR_ID})::uuid`)}, ${actor})`;

/** What a key or a person is at a merchant, as workflows show it: their histories are not encrypted, and outlast an erasure. */
export const roleOfCaller = (id: RawBuilder<unknown>, merchantId: RawBuilder<unknown>): RawBuilder<string | null> =>
  sql<string | null>`(select coalesce(
    (select held.role from person_role held where held.merchant_id = ${merchantId} and held.person_id = caller.id
      order by held.removed_at desc nulls first limit 1),
    (select 'api_key' from api_key where api_key.id = caller.id),
    'person') from (select ${id} as id) caller where caller.id is not null)`;

/** As `roleOfCaller`, of an actor that `actorName` names. Parts of the system keep their names. */
export const roleOfActor = (actor: RawBuilder<unknown>, merchantId: RawBuilder<unknown>): RawBuilder<string | null> =>
  sql<string | null>`coalesce(${roleOfCaller(sql`substring(${actor} from ${ACTOR_ID})::uuid`, merchantId)}, ${actor})`;
