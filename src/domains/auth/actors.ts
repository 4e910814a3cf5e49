import { rolesWith } from '../../contracts/people.ts';
import type { MerchantScope } from '../../contracts/scopes.ts';
import { type Context, callerOf } from '../../platform/context.ts';
import { firstRow, type RawBuilder, rows, sql } from '../../platform/database/sql.ts';
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

const CALLER = /^(key|person):([0-9a-f-]{36})$/;

/** The ids of the keys, or of the persons, among actors. */
const idsOf = (kind: 'key' | 'person', actors: readonly string[]): string[] =>
  actors.flatMap((actor) => {
    const [, found, id] = CALLER.exec(actor) ?? [];
    return found === kind && id !== undefined ? [id] : [];
  });

/** Who approves: its line, and since when it has had the right. */
interface Approver {
  lineId: string;
  since: string;
  ownerId: string;
}

const findApprover = (ctx: Context): Promise<Approver | null> => {
  const caller = callerOf(ctx);
  return caller.kind === 'key'
    ? firstRow(
        ctx.em,
        db.selectFrom('api_key').select(['lineId', 'createdAt as since', 'ownerId']).where('id', '=', caller.keyId),
      )
    : firstRow(
        ctx.em,
        db
          .selectFrom('person_role')
          .select(['personId as lineId', 'roleSince as since', 'merchantId as ownerId'])
          .where('id', '=', caller.grantId)
          .where('removedAt', 'is', null),
      );
};

/** Whether one of these actors is of a line: the line is a person, or has the key. */
const hasPart = async (ctx: Context, { lineId }: Approver, actors: readonly string[]): Promise<boolean> => {
  if (idsOf('person', actors).includes(lineId)) return true;
  const made = db
    .selectFrom('api_key')
    .select('id')
    .where('id', '=', anyOf(idsOf('key', actors)))
    .where('lineId', '=', lineId);
  return (await firstRow(ctx.em, made.limit(1))) !== null;
};

/** The owner of the line's keys or person, or a profile with the address of the person, or of the merchant. A template: addresses in any case. */
const isPaid = async (ctx: Context, { lineId, ownerId }: Approver, profileIds: readonly string[]): Promise<boolean> => {
  const paid = await firstRow(
    ctx.em,
    sql`select from affiliate_profile f where f.id = any(${profileIds}::uuid[]) and (f.id = ${ownerId}::uuid
      or f.user_id = ${lineId}::uuid
      or lower(f.email) in (select lower(email) from merchant where id = ${ownerId}::uuid)
      or lower(f.email) in (select email from person where id = ${lineId}::uuid)) limit 1`,
  );
  return paid !== null;
};

/**
 * Throws SAME_ACTOR when the caller must not approve something: whoever made, edited or confirmed it, or is of the same line of keys,
 * is paid by it, or whose key or role is newer. A person and the keys that they made are one line. What the system made has no line, so
 * that anybody may approve it.
 */
export const assertSecondActor = async (
  ctx: Context,
  { createdBy, madeAt, others = [], profileIds = [] }: Made,
): Promise<void> => {
  const approver = await findApprover(ctx);
  invariant(approver, 'the key or role of a request exists');
  if (await hasPart(ctx, approver, [createdBy, ...others]))
    throw sameActor('Another actor must approve: this one, or a key of its line, made it', 'same_line');
  if (await isPaid(ctx, approver, profileIds))
    throw sameActor('Another actor must approve: this one belongs to somebody who is paid', 'is_paid');
  if (new Date(approver.since) > madeAt)
    throw sameActor('Another actor must approve: this key or role is newer than what it would approve', 'newer_key');
};

const sameActor = (message: string, cause: 'same_line' | 'is_paid' | 'newer_key') => conflict('SAME_ACTOR', message, { cause });

/** The names of all actors of one line: keys of one origin, and the person who made them. Null: it is neither a key nor a person. */
export const actorsOfLine = (actor: string): RawBuilder<readonly string[]> | null => {
  const [keyId] = idsOf('key', [actor]);
  const [personId] = idsOf('person', [actor]);
  if (keyId === undefined && personId === undefined) return null;
  const line = personId === undefined ? sql`(select line_id from api_key where id = ${keyId}::uuid)` : sql`${personId}::uuid`;
  return sql`(array(select 'key:' || id from api_key where line_id = ${line}) || ('person:' || ${line}))`;
};

/** Whether a merchant has active keys, or people, with the scope in two lines at least. */
export const hasSecondActor = async (
  ctx: Context,
  { ownerId, scope }: { ownerId: string; scope: MerchantScope },
): Promise<boolean> => {
  const keys = db
    .selectFrom('api_key')
    .select('lineId')
    .where('ownerId', '=', ownerId)
    .where(sql<boolean>`${scope} = any(scopes)`)
    .where(isActive(ctx));
  const people = db
    .selectFrom('person_role')
    .select('personId as lineId')
    .where('merchantId', '=', ownerId)
    .where('role', '=', anyOf(rolesWith(scope)))
    .where('removedAt', 'is', null);
  return (await rows(ctx.em, keys.union(people).limit(2))).length >= 2;
};
