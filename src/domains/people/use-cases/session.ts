import { LockMode } from '@mikro-orm/core';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { hashToken } from '../../../platform/crypto/token.ts';
import { execute } from '../../../platform/database/sql.ts';
import { notFound } from '../../../platform/errors.ts';
import { db } from '../../tables.ts';
import { personOf } from '../people.queries.ts';
import { type SessionView, toSession } from '../people.wire.ts';
import { Person } from '../person.entity.ts';
import { PersonSession } from '../person-session.entity.ts';

/** Signs out there, at once. NOT_FOUND for a session of somebody else. */
export const revokeSession = (ctx: Context, { id }: { id: string }): Promise<SessionView> =>
  inTransaction(ctx, async (ctx) => {
    const { personId, sessionId } = personOf(ctx);
    const lock = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } as const;
    const session = await ctx.em.findOne(PersonSession, { id, personId }, lock);
    if (!session) throw notFound('Session');
    session.end(ctx.clock.now());
    return toSession({ ...session, isCurrent: id === sessionId });
  });

/** Signs the person of an address out everywhere. Returns their id; null when nobody signs in with it. */
export const endSessionsOf = async (ctx: Context, address: string): Promise<string | null> => {
  const person = await ctx.em.findOne(Person, { email: address.toLowerCase() });
  if (!person) return null;
  await execute(
    ctx.em,
    db
      .updateTable('person_session')
      .set({ endedAt: ctx.clock.now() })
      .where('personId', '=', person.id)
      .where('endedAt', 'is', null),
  );
  return person.id;
};

/** Ends the session of a token. An unknown one is not told apart. */
export const signOut = (ctx: Context, { token }: { token: string }): Promise<{ success: true }> =>
  inTransaction(ctx, async (ctx) => {
    const session = await ctx.em.findOne(PersonSession, { tokenHash: hashToken(token) });
    session?.end(ctx.clock.now());
    return { success: true };
  });
