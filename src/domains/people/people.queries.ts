import { LockMode } from '@mikro-orm/core';
import { SESSION_IDLE_MS } from '../../contracts/people.ts';
import { after } from '../../platform/clock.ts';
import { type Context, callerOf, merchantOf, type PersonActor } from '../../platform/context.ts';
import { hashToken } from '../../platform/crypto/token.ts';
import { lockName } from '../../platform/database/lock-name.ts';
import { firstRow, rows, sql } from '../../platform/database/sql.ts';
import { AppError, forbidden, notFound } from '../../platform/errors.ts';
import { listKeysMadeBy } from '../auth/index.ts';
import { db } from '../tables.ts';
import {
  type MemberView,
  type NewApproverView,
  type OpenInviteView,
  type PersonInviteView,
  toMember,
  toNewApprover,
  toPersonInvite,
} from './people.wire.ts';
import { Person, PersonRole } from './person.entity.ts';
import { PersonSession } from './person-session.entity.ts';

/** Keys cannot manage people, nor sessions. */
export const personOf = (ctx: Context): PersonActor => {
  const caller = callerOf(ctx);
  if (caller.kind !== 'person') throw forbidden('Only a person who is signed in may do this');
  return caller;
};

/** Serializes changes of who belongs to a merchant: the last owner stays. */
export const lockPeopleOf = (ctx: Context, merchantId: string): Promise<number> => lockName(ctx, `people:${merchantId}`);

/** People who belong to your account, newest first: at most MAX_PEOPLE_PER_MERCHANT. */
export const listPeople = async (ctx: Context): Promise<MemberView[]> => {
  const found = await rows(
    ctx.em,
    db
      .selectFrom('person_role as r')
      .innerJoin('person as p', 'p.id', 'r.personId')
      .select(['p.id as personId', 'p.name', 'p.email', 'r.role', 'r.roleSince', 'r.approvesFrom', 'r.createdAt'])
      .where('r.merchantId', '=', merchantOf(ctx))
      .where('r.removedAt', 'is', null)
      .orderBy('r.createdAt', 'desc')
      .orderBy('r.id', 'desc'),
  );
  return found.map(toMember);
};

/** People whose approval does not count yet, and whom a second actor may confirm. */
export const listNewApprovers = async (ctx: Context): Promise<NewApproverView[]> => {
  const found = await rows(
    ctx.em,
    db
      .selectFrom('person_role as r')
      .innerJoin('person as p', 'p.id', 'r.personId')
      .select(['p.id as personId', 'p.name', 'r.role', 'r.roleSince', 'r.approvesFrom'])
      .where('r.merchantId', '=', merchantOf(ctx))
      .where('r.removedAt', 'is', null)
      .where('r.approvesFrom', '>', ctx.clock.now().toISOString())
      .orderBy('r.createdAt'),
  );
  return found.map(toNewApprover);
};

/** Invites that can still be accepted, newest first. */
export const listPersonInvites = async (ctx: Context): Promise<PersonInviteView[]> => {
  const found = await rows(
    ctx.em,
    db
      .selectFrom('person_invite')
      .select(['id', 'email', 'role', 'expiresAt', 'createdAt'])
      .where('merchantId', '=', merchantOf(ctx))
      .where('endedAt', 'is', null)
      .where('expiresAt', '>', ctx.clock.now().toISOString())
      .orderBy('createdAt', 'desc')
      .orderBy('id', 'desc'),
  );
  return found.map(toPersonInvite);
};

export const findRole = (ctx: Context, of: { merchantId: string; personId: string }): Promise<PersonRole | null> =>
  ctx.em.findOne(PersonRole, { ...of, removedAt: null }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });

/** Locks the role of a person of your account. NOT_FOUND for anybody else: it reveals nothing about them. */
export const lockRole = async (ctx: Context, personId: string): Promise<PersonRole> => {
  const role = await findRole(ctx, { merchantId: merchantOf(ctx), personId });
  if (!role) throw notFound('Person');
  return role;
};

/** The person who is signed in. NOT_FOUND if they were erased in the meantime. */
export const readPerson = async (ctx: Context): Promise<Person> => {
  const person = await ctx.em.findOne(Person, { id: personOf(ctx).personId });
  if (!person) throw notFound('Person');
  return person;
};

/** The session of the request, locked. UNAUTHORIZED for one that was ended meanwhile. */
export const lockSession = async (ctx: Context, of: { personId: string; sessionId: string }): Promise<PersonSession> => {
  const found = await ctx.em.findOne(
    PersonSession,
    { id: of.sessionId, personId: of.personId, endedAt: null },
    { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
  );
  if (!found) throw new AppError('UNAUTHORIZED', 'This session has ended. Sign in again');
  return found;
};

/** A session of the person that is valid now and opens everything of theirs, locked; null when the token is of no such session. */
export const lockSignedIn = (
  ctx: Context,
  { personId, token }: { personId: string; token: string },
): Promise<PersonSession | null> => {
  const now = ctx.clock.now();
  const valid = { endedAt: null, expiresAt: { $gt: now }, lastSeenAt: { $gt: after(now, -SESSION_IDLE_MS) } };
  return ctx.em.findOne(
    PersonSession,
    { tokenHash: hashToken(token), personId, programId: null, onlyMerchantId: null, ...valid },
    { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
  );
};

export const listPersonKeys = async (ctx: Context, { personId }: { personId: string }) => {
  const role = await ctx.em.findOne(PersonRole, { merchantId: merchantOf(ctx), personId, removedAt: null });
  if (!role) throw notFound('Person');
  return listKeysMadeBy(ctx, { personId, ownerId: merchantOf(ctx) });
};

/** What people see who have the link of an invite. NOT_FOUND when it was accepted or revoked, or has expired. */
export const getPersonInvite = async (ctx: Context, { token }: { token: string }): Promise<OpenInviteView> => {
  const invite = await firstRow(
    ctx.em,
    db
      .selectFrom('person_invite as i')
      .innerJoin('merchant as m', 'm.id', 'i.merchantId')
      .leftJoin('person as p', 'p.email', 'i.email')
      .select(['m.companyName', 'i.email', 'i.role', 'i.expiresAt', 'p.id as personId'])
      .where('i.tokenHash', '=', hashToken(token))
      .where('i.endedAt', 'is', null)
      .where('i.expiresAt', '>', ctx.clock.now().toISOString()),
  );
  if (!invite) throw notFound('Invite');
  const { personId, expiresAt, ...shown } = invite;
  return { ...shown, isKnown: personId !== null, expiresAt: new Date(expiresAt).toISOString() };
};

/** NOT_FOUND for an address that belongs to nobody at the merchant. */
export const assertMember = async (ctx: Context, { merchantId, email }: { merchantId: string; email: string }): Promise<void> => {
  const found = await firstRow(
    ctx.em,
    db
      .selectFrom('person_role as r')
      .innerJoin('person as p', 'p.id', 'r.personId')
      .select('r.id')
      .where('r.merchantId', '=', merchantId)
      .where('r.removedAt', 'is', null)
      .where('p.email', '=', email.toLowerCase()),
  );
  if (!found) throw notFound('Person');
};

/** NOT_FOUND for an address with which nobody signs in: of no person, and of no affiliate. */
export const assertKnownMailbox = async (ctx: Context, { email }: { email: string }): Promise<void> => {
  const address = email.toLowerCase();
  const people = db.selectFrom('person').select('id').where('email', '=', address);
  const affiliates = db
    .selectFrom('affiliate_profile')
    .select('id')
    .where(sql<boolean>`lower(email) = ${address}`)
    .where('erasedAt', 'is', null);
  if (!(await firstRow(ctx.em, people.unionAll(affiliates)))) throw notFound('Person');
};
