import { LockMode } from '@mikro-orm/core';
import { recordChange } from '../../../platform/audit-log/record-change.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { hashToken } from '../../../platform/crypto/token.ts';
import { execute } from '../../../platform/database/sql.ts';
import { forbidden, notFound } from '../../../platform/errors.ts';
import { db } from '../../tables.ts';
import { Passkey } from '../passkey.entity.ts';
import { lockSession, personOf } from '../people.queries.ts';
import { type CompanyView, type SessionView, toSession } from '../people.wire.ts';
import { Person } from '../person.entity.ts';
import { PersonSession } from '../person-session.entity.ts';
import { listCompanies } from '../sessions.queries.ts';

const LOCK = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } as const;

/** All of a person, wherever they are signed in. */
export const endSessions = (ctx: Context, personId: string): Promise<number> =>
  execute(
    ctx.em,
    db
      .updateTable('person_session')
      .set({ endedAt: ctx.clock.now() })
      .where('personId', '=', personId)
      .where('endedAt', 'is', null),
  );

/** Signs out there, at once. NOT_FOUND for a session of somebody else. */
export const revokeSession = (ctx: Context, { id }: { id: string }): Promise<SessionView> =>
  inTransaction(ctx, async (ctx) => {
    const { personId, sessionId } = personOf(ctx);
    const session = await ctx.em.findOne(PersonSession, { id, personId }, LOCK);
    if (!session) throw notFound('Session');
    session.end(ctx.clock.now());
    return toSession({ ...session, isCurrent: id === sessionId });
  });

/**
 * Signs the person of an address out everywhere, and removes passkeys that were added since a time: whoever took over the account may
 * have them. Returns their id; null when nobody signs in with it.
 */
export const signOutEverywhere = async (
  ctx: Context,
  { address, since, ownerId }: { address: string; since: Date; ownerId: string },
): Promise<string | null> => {
  const person = await ctx.em.findOne(Person, { email: address.toLowerCase() });
  if (!person) return null;
  const { id: personId } = person;
  await endSessions(ctx, personId);
  for (const passkey of await ctx.em.find(Passkey, { personId, deletedAt: null, createdAt: { $gt: since } }, LOCK)) {
    passkey.delete(ctx.clock.now());
    await recordChange(ctx, { ownerId, action: 'passkey.deleted', resourceId: passkey.id });
  }
  return personId;
};

/**
 * From the next request on. NOT_FOUND for a merchant that has given you no role, FORBIDDEN for one that the session does not open. The
 * second call changes nothing.
 */
export const chooseCompany = (ctx: Context, { merchantId }: { merchantId: string }): Promise<CompanyView> =>
  inTransaction(ctx, async (ctx) => {
    const { personId, sessionId } = personOf(ctx);
    const session = await lockSession(ctx, { personId, sessionId });
    if ((session.onlyMerchantId ?? merchantId) !== merchantId)
      throw forbidden('You came by an invite: sign in again to act for another company');
    const company = (await listCompanies(ctx)).find((each) => each.merchantId === merchantId);
    if (!company) throw notFound('Merchant');
    session.choose(merchantId);
    return { ...company, isCurrent: true };
  });

/** Ends the session of a token. An unknown one is not told apart. */
export const signOut = (ctx: Context, { token }: { token: string }): Promise<{ success: true }> =>
  inTransaction(ctx, async (ctx) => {
    const session = await ctx.em.findOne(PersonSession, { tokenHash: hashToken(token) });
    session?.end(ctx.clock.now());
    return { success: true };
  });
