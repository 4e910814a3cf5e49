import type { CancelledWork } from '../../contracts/approvals.ts';
import { rolesWith } from '../../contracts/people.ts';
import type { MerchantScope } from '../../contracts/scopes.ts';
import { type Context, callerOf, grantIdOf } from '../../platform/context.ts';
import { firstRow, type RawBuilder, rows, sql } from '../../platform/database/sql.ts';
import { anyOf } from '../../platform/database/table.ts';
import { conflict, invariant } from '../../platform/errors.ts';
import { db } from '../tables.ts';
import { isActive } from './auth.queries.ts';

declare module '../../platform/context.ts' {
  interface Context {
    /** Runs in the transaction in which the access of somebody to a merchant ends. Cancels what waits in their name, and returns that; more may follow. */
    onAccessEnded: (ctx: Context, merchantId: string) => Promise<CancelledWork[]>;
  }
}

/** What a second actor approves. Actors have the form of `actorName`. */
export interface Made {
  createdBy: string;
  madeAt: Date;
  /** Who edited or confirmed it. */
  others?: readonly string[];
  /** Profiles of the people who are paid. */
  profileIds?: readonly string[];
}

const CALLER = /^(key|person):([0-9a-f-]{36})$/;

/** The ids of the keys, or of the persons, among actors. */
const idsOf = (kind: 'key' | 'person', actors: readonly string[]): string[] =>
  actors.flatMap((actor) => {
    const [, found, id] = CALLER.exec(actor) ?? [];
    return found === kind && id !== undefined ? [id] : [];
  });

/** Whoever approves, by what lets them act: a key, or the role of a person. A template: one statement looks at both. */
const findApprover = (ctx: Context, actors: readonly string[], profileIds: readonly string[]) => {
  const grantId = grantIdOf(callerOf(ctx));
  return firstRow(
    ctx.em,
    sql<{ since: string; isPart: boolean; isPaid: boolean; approvesFrom: string | null }>`select a.since,
        (select r.approves_from from person_role r where r.merchant_id = a.owner_id and r.person_id = a.line_id
          order by r.created_at desc, r.id desc limit 1) as "approvesFrom",
        a.line_id = any(${idsOf('person', actors)}::uuid[])
          or exists (select from api_key k where k.id = any(${idsOf('key', actors)}::uuid[]) and k.line_id = a.line_id) as "isPart",
        exists (select from affiliate_profile f where f.id = any(${profileIds}::uuid[]) and (f.id = a.owner_id or f.user_id = a.line_id
          or lower(f.email) in (select lower(email) from merchant where id = a.owner_id)
          or lower(f.email) in (select email from person where id = a.line_id))) as "isPaid"
      from (
        select line_id, created_at as since, owner_id from api_key where id = ${grantId}::uuid
        union all
        select person_id, role_since, merchant_id from person_role where id = ${grantId}::uuid and removed_at is null) as a`,
  );
};

/**
 * Throws SAME_ACTOR when the caller must not approve something: whoever made, edited or confirmed it, or is of the same line of keys,
 * is paid by it, whose key or role is newer, or who got their role lately and is not confirmed. A profile is theirs that owns the key, or has the address of the person or the merchant.
 * A person and the keys that they made are one line. What the system made has no line, so that anybody may approve it.
 */
export const assertSecondActor = async (
  ctx: Context,
  { createdBy, madeAt, others = [], profileIds = [] }: Made,
): Promise<void> => {
  const approver = await findApprover(ctx, [createdBy, ...others], profileIds);
  invariant(approver, 'the key or role of a request exists');
  if (approver.isPart) throw sameActor('Another actor must approve: this one, or a key of its line, made it', 'same_line');
  if (approver.isPaid) throw sameActor('Another actor must approve: this one belongs to somebody who is paid', 'is_paid');
  if (new Date(approver.since) > madeAt)
    throw sameActor('Another actor must approve: this key or role is newer than what it would approve', 'newer_key');
  // Covers keys that the person made, also after they left.
  const approvesFrom = approver.approvesFrom && new Date(approver.approvesFrom);
  if (approvesFrom && approvesFrom > ctx.clock.now())
    throw sameActor('Another actor must approve: nobody confirmed yet that this person may', 'not_confirmed', { approvesFrom });
};

type Cause = 'same_line' | 'is_paid' | 'newer_key' | 'not_confirmed';

const sameActor = (message: string, cause: Cause, { approvesFrom }: { approvesFrom?: Date } = {}) =>
  conflict('SAME_ACTOR', message, { cause, ...(approvesFrom && { approvesFrom: approvesFrom.toISOString() }) });

/** The names of all actors of one line: keys of one origin, and the person who made them. Null: it is neither a key nor a person. */
export const actorsOfLine = (actor: string): RawBuilder<readonly string[]> | null => {
  const [keyId] = idsOf('key', [actor]);
  const [personId] = idsOf('person', [actor]);
  if (keyId === undefined && personId === undefined) return null;
  const line = personId === undefined ? sql`(select line_id from api_key where id = ${keyId}::uuid)` : sql`${personId}::uuid`;
  return sql`(array(select 'key:' || id from api_key where line_id = ${line}) || ('person:' || ${line}))`;
};

const actorId = (kind: 'key' | 'person', actor: RawBuilder<unknown>) =>
  sql`substring(${actor} from ${sql.lit(`^${kind}:([0-9a-f-]{36})$`)})::uuid`;

interface ActorOf {
  /** An actor in the form of `actorName`. Name columns with their table: the condition reads others. */
  actor: RawBuilder<unknown>;
  merchantId: RawBuilder<unknown>;
  scope: MerchantScope;
}

/**
 * Whether somebody lost the right to do something for a merchant: their key was revoked, or their role has ended or lacks the scope. Not
 * for the end of a key's own time, which is no sign of distrust, nor for the system. A template: a condition of any statement.
 */
export const isGone = ({ actor, merchantId, scope }: ActorOf): RawBuilder<boolean> => sql<boolean>`(
  exists (select from api_key gone where gone.id = ${actorId('key', actor)} and gone.revoked_at is not null)
  or ${actorId('person', actor)} is not null and not exists (select from person_role held where held.merchant_id = ${merchantId}
    and held.person_id = ${actorId('person', actor)} and held.removed_at is null and held.role = any(${rolesWith(scope)})))`;

/** Whether somebody, named as by `actorName`, may do something for a merchant now. The system always may. */
export const mayAct = async (
  ctx: Context,
  { actor, merchantId, scope }: { actor: string; merchantId: string; scope: MerchantScope },
): Promise<boolean> => {
  const [keyId] = idsOf('key', [actor]);
  const [personId] = idsOf('person', [actor]);
  if (keyId === undefined && personId === undefined) return true;
  const keys = db
    .selectFrom('api_key')
    .select('id')
    .where('id', '=', keyId ?? null)
    .where('ownerId', '=', merchantId)
    .where(sql<boolean>`${scope} = any(scopes)`)
    .where(isActive(ctx));
  const roles = db
    .selectFrom('person_role')
    .select('id')
    .where('personId', '=', personId ?? null)
    .where('merchantId', '=', merchantId)
    .where('role', '=', anyOf(rolesWith(scope)))
    .where('removedAt', 'is', null);
  return (await firstRow(ctx.em, keys.unionAll(roles))) !== null;
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
