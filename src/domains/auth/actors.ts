import type { Scope } from '../../contracts/scopes.ts';
import { type Context, callerOf } from '../../platform/context.ts';
import { firstRow, type RawBuilder, sql } from '../../platform/database/sql.ts';
import { anyOf } from '../../platform/database/table.ts';
import { conflict, invariant } from '../../platform/errors.ts';
import { db } from '../tables.ts';
import { isActive } from './auth.queries.ts';

/** What a second actor approves. Actors are named as by `actorName`. */
export interface Made {
  createdBy: string;
  madeAt: Date;
  /** Who edited or confirmed it. */
  others?: readonly string[];
  /** Of the persons who are paid. */
  profileIds?: readonly string[];
}

const KEY = /^key:([0-9a-f-]{36})$/;

const keysOf = (actors: readonly string[]): string[] => actors.flatMap((actor) => KEY.exec(actor)?.[1] ?? []);

/** The person of an affiliate key, or the profile with the merchant's email address. */
const isOwnProfile = sql<boolean>`(f.id = k.owner_id or lower(f.email) = lower(m.email))`;

/**
 * Throws SAME_ACTOR when the caller must not approve something: whoever made, edited or confirmed it, or is of the same line of keys,
 * is paid by it, or whose key is newer. What the system made has no line, so that any key may approve it.
 */
export const assertSecondActor = async (
  ctx: Context,
  { createdBy, madeAt, others = [], profileIds = [] }: Made,
): Promise<void> => {
  const approver = await firstRow(
    ctx.em,
    db
      .selectFrom('api_key as k')
      .leftJoin('merchant as m', 'm.id', 'k.ownerId')
      .select(({ exists, selectFrom }) => [
        'k.createdAt',
        exists(
          selectFrom('api_key as o')
            .select('o.id')
            .where('o.id', '=', anyOf(keysOf([createdBy, ...others])))
            .whereRef('o.lineId', '=', 'k.lineId'),
        ).as('isSameLine'),
        exists(selectFrom('affiliate_profile as f').select('f.id').where('f.id', '=', anyOf(profileIds)).where(isOwnProfile)).as(
          'isPaid',
        ),
      ])
      .where('k.id', '=', callerOf(ctx).keyId)
      .$narrowType<{ isSameLine: boolean; isPaid: boolean }>(),
  );
  invariant(approver, 'the key of a request exists');
  if (approver.isSameLine)
    throw sameActor('Another actor must approve: this key is of the same line as one that made it', 'same_line');
  if (approver.isPaid) throw sameActor('Another actor must approve: this key belongs to somebody who is paid', 'is_paid');
  if (new Date(approver.createdAt) > madeAt)
    throw sameActor('Another actor must approve: this key is newer than what it would approve', 'newer_key');
};

const sameActor = (message: string, cause: 'same_line' | 'is_paid' | 'newer_key') => conflict('SAME_ACTOR', message, { cause });

/** The names of all keys of the line of a key: those that were made by it, that made it, or share an ancestor. Null: it is no key. */
export const actorsOfLine = (actor: string): RawBuilder<readonly string[]> | null => {
  const [keyId] = keysOf([actor]);
  if (keyId === undefined) return null;
  return sql`array(select 'key:' || id from api_key where line_id = (select line_id from api_key where id = ${keyId}::uuid))`;
};

/** Whether a merchant has active keys with the scope in two lines at least. */
export const hasSecondActor = async (ctx: Context, { ownerId, scope }: { ownerId: string; scope: Scope }): Promise<boolean> => {
  const row = await firstRow(
    ctx.em,
    db
      .selectFrom('api_key')
      .select(sql<number>`count(distinct line_id)::int`.as('lines'))
      .where('ownerId', '=', ownerId)
      .where(sql<boolean>`${scope} = any(scopes)`)
      .where(isActive(ctx)),
  );
  return (row?.lines ?? 0) >= 2;
};
