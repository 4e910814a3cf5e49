import { LockMode } from '@mikro-orm/core';
import type { CancelledWork } from '../../../contracts/approvals.ts';
import { MAX_PEOPLE_PER_MERCHANT, MAX_PERSON_INVITES_PER_DAY, PERSON_INVITE_MS, type Role } from '../../../contracts/people.ts';
import { recordChange } from '../../../platform/audit-log/record-change.ts';
import { after, DAY_MS } from '../../../platform/clock.ts';
import { actorName, type Context, emitInternal, inTransaction, merchantOf } from '../../../platform/context.ts';
import { generateToken, hashToken } from '../../../platform/crypto/token.ts';
import { firstRow, flushPending, rows, sql } from '../../../platform/database/sql.ts';
import { AppError, conflict, notFound } from '../../../platform/errors.ts';
import { lockOwned } from '../../../platform/ownership.ts';
import { isGone } from '../../auth/index.ts';
import { db } from '../../tables.ts';
import { findOrCreatePerson, lockAddress } from '../find-or-create-person.steps.ts';
import { announceApprover, approvesFromOf } from '../new-approvers.steps.ts';
import { findRole, lockPeopleOf, lockSignedIn, personOf } from '../people.queries.ts';
import { type PersonInviteView, type StartedSessionView, toPersonInvite } from '../people.wire.ts';
import { Person, PersonInvite, PersonRole } from '../person.entity.ts';
import { startSession } from '../start-session.steps.ts';

export interface NewInvite {
  merchantId: string;
  email: string;
  role: Role;
}

/** Mails a link, and returns it. A second invite of an address replaces the first. ALREADY_MEMBER for somebody who belongs to the merchant. */
export const createPersonInvite = (
  ctx: Context,
  { merchantId, role, ...given }: NewInvite,
): Promise<{ invite: PersonInvite; url: string }> =>
  inTransaction(ctx, async (ctx) => {
    const email = given.email.trim().toLowerCase();
    await lockPeopleOf(ctx, merchantId);
    await assertRoom(ctx, merchantId, email);
    const now = ctx.clock.now();
    const open = await ctx.em.findOne(PersonInvite, { merchantId, email, endedAt: null }, { refresh: true });
    open?.end(now);
    await flushPending(ctx.em);
    const { token, tokenHash } = generateToken();
    const invite = ctx.em.create(PersonInvite, {
      id: ctx.ids.next(),
      merchantId,
      email,
      role,
      tokenHash,
      invitedBy: actorName(ctx.actor),
      createdAt: now,
      expiresAt: after(now, PERSON_INVITE_MS),
    });
    const { id: inviteId, expiresAt } = invite;
    await recordChange(ctx, {
      ownerId: merchantId,
      action: 'person_invite.created',
      resourceId: inviteId,
      after: { role },
      hidden: ['email'],
    });
    const url = `${ctx.settings.publicUrl}/sign-in/invite?token=${token}`;
    await emitInternal(ctx, { type: 'person.invited', inviteId, merchantId, email, role, url, expiresAt });
    return { invite, url };
  });

/** A template: a row without a table. */
const assertRoom = async (ctx: Context, merchantId: string, email: string): Promise<void> => {
  const found = await firstRow(
    ctx.em,
    sql<{ people: number; today: number; isMember: boolean }>`select
        (select count(*) from person_role where merchant_id = ${merchantId}::uuid and removed_at is null)::int
          + (select count(*) from person_invite where merchant_id = ${merchantId}::uuid and ended_at is null and email <> ${email}
            and expires_at > ${ctx.clock.now().toISOString()}::timestamptz)::int as people,
        (select count(*)::int from person_invite where merchant_id = ${merchantId}::uuid
          and created_at > ${after(ctx.clock.now(), -DAY_MS).toISOString()}::timestamptz) as today,
        exists (select from person_role r join person p on p.id = r.person_id
          where r.merchant_id = ${merchantId}::uuid and r.removed_at is null and p.email = ${email}) as "isMember"`,
  );
  if (found?.isMember) throw conflict('ALREADY_MEMBER', 'This person belongs to your account already');
  if ((found?.people ?? 0) >= MAX_PEOPLE_PER_MERCHANT)
    throw conflict('TOO_MANY_PEOPLE', `At most ${MAX_PEOPLE_PER_MERCHANT} people can belong to an account`, {
      limit: MAX_PEOPLE_PER_MERCHANT,
    });
  if ((found?.today ?? 0) >= MAX_PERSON_INVITES_PER_DAY)
    throw conflict('MAIL_LIMIT', `At most ${MAX_PERSON_INVITES_PER_DAY} people can be invited in 24 hours`, {
      limit: MAX_PERSON_INVITES_PER_DAY,
    });
};

/** Called by an owner: the mail holds the link, the response does not. */
export const invitePerson = async (ctx: Context, input: Omit<NewInvite, 'merchantId'>): Promise<PersonInviteView> => {
  personOf(ctx);
  const { invite } = await createPersonInvite(ctx, { merchantId: merchantOf(ctx), ...input });
  return toPersonInvite(invite);
};

/** The link does nothing from now on. A second call changes nothing. */
export const revokePersonInvite = (ctx: Context, input: { id: string }): Promise<PersonInviteView> =>
  inTransaction(ctx, async (ctx) => {
    personOf(ctx);
    const invite = await lockOwned(ctx, 'Invite', PersonInvite, input);
    if (!invite.endedAt) {
      const { merchantId: ownerId, id: resourceId } = invite;
      await recordChange(ctx, { ownerId, action: 'person_invite.revoked', resourceId });
    }
    invite.end(ctx.clock.now());
    return toPersonInvite(invite);
  });

const GONE_BATCH = 50;

/** Open invites by somebody who may no longer invite, of one merchant or of all: at most a batch. */
export const revokeInvitesOfGone = (ctx: Context, merchantId: string | null): Promise<CancelledWork[]> =>
  inTransaction(ctx, async (ctx) => {
    const now = ctx.clock.now();
    const found = db
      .selectFrom('person_invite')
      .select('id')
      .where('endedAt', 'is', null)
      .where('expiresAt', '>', now.toISOString())
      .where(
        isGone({ actor: sql`person_invite.invited_by`, merchantId: sql`person_invite.merchant_id`, scope: 'merchant:manage' }),
      )
      .orderBy('id')
      .limit(sql.lit(GONE_BATCH))
      .forUpdate();
    const gone = await rows(ctx.em, merchantId === null ? found : found.where('merchantId', '=', merchantId));
    const invites = await ctx.em.find(PersonInvite, { id: { $in: gone.map(({ id }) => id) } }, { refresh: true });
    for (const invite of invites) {
      const { merchantId: ownerId, id: resourceId } = invite;
      await recordChange(ctx, { ownerId, action: 'person_invite.revoked', resourceId });
      invite.end(now);
    }
    return invites.map(({ id }) => ({ kind: 'person_invite', id }));
  });

export interface AcceptedInvite {
  token: string;
  name: string;
  device?: string | undefined;
  /** Session of the person whom the invite is for, if they have signed in before. */
  session?: string | undefined;
}

/**
 * Works once. It does not sign in people who already have an account: the link may come from an old mail, and nothing else. UNAUTHORIZED
 * until the person of the address is signed in. Somebody new is signed in to this company alone.
 */
export const acceptPersonInvite = (ctx: Context, { token, name, device, session }: AcceptedInvite): Promise<StartedSessionView> =>
  inTransaction(ctx, async (ctx) => {
    const found = await ctx.em.findOne(PersonInvite, { tokenHash: hashToken(token) });
    if (!found) throw notFound('Invite');
    await lockPeopleOf(ctx, found.merchantId);
    const lock = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } as const;
    const invite = await ctx.em.findOneOrFail(PersonInvite, { id: found.id }, lock);
    const now = ctx.clock.now();
    if (!invite.isOpen(now)) throw notFound('Invite');
    const { email, merchantId } = invite;
    await lockAddress(ctx, email);
    const known = await ctx.em.findOne(Person, { email });
    const signedIn = known && (await lockSignedIn(ctx, { personId: known.id, token: session ?? '' }));
    if (known && !signedIn) throw new AppError('UNAUTHORIZED', 'Sign in with the address of this invite to accept it');
    invite.end(now);
    const person = known ?? (await findOrCreatePerson(ctx, { email, name }));
    await flushPending(ctx.em);
    await addRole(ctx, { ...invite, by: invite.invitedBy }, person);
    await flushPending(ctx.em);
    if (!signedIn || session === undefined)
      return startSession(ctx, { personId: person.id, device, merchantId, onlyMerchantId: merchantId });
    signedIn.choose(merchantId);
    return { token: session, expiresAt: signedIn.expiresAt.toISOString(), home: 'merchant' };
  });

/** For the operator, with an address that needs no proof: adds an owner who can sign in. People who have a role keep it. */
export const addOwner = (ctx: Context, of: { merchantId: string; email: string; name: string }): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    await lockPeopleOf(ctx, of.merchantId);
    const person = await findOrCreatePerson(ctx, of);
    await flushPending(ctx.em);
    await addRole(ctx, { merchantId: of.merchantId, role: 'owner', by: actorName(ctx.actor) }, person);
  });

type RoleOf = Pick<NewInvite, 'merchantId' | 'role'> & { by: string };

const addRole = async (ctx: Context, { merchantId, role, by }: RoleOf, person: Person): Promise<void> => {
  const { id: personId } = person;
  if (await findRole(ctx, { merchantId, personId })) return;
  const now = ctx.clock.now();
  const approvesFrom = await approvesFromOf(ctx, { merchantId, role, old: null, by });
  const asPerson = { ...ctx, actor: { kind: 'system', name: 'invite' } } as const;
  const granted = ctx.em.create(PersonRole, {
    id: ctx.ids.next(),
    merchantId,
    personId,
    role,
    roleSince: now,
    grantedBy: by,
    approvesFrom,
    createdAt: now,
  });
  await recordChange(asPerson, { ownerId: merchantId, action: 'person.joined', resourceId: personId, after: { role } });
  await announceApprover(ctx, granted, person);
};
