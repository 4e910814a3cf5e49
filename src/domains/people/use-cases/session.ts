import { LockMode } from '@mikro-orm/core';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { notFound } from '../../../platform/errors.ts';
import { personOf } from '../people.queries.ts';
import { type SessionView, toSession } from '../people.wire.ts';
import { PersonSession } from '../person-session.entity.ts';
import { hashToken } from '../token.ts';

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

/** Ends the session of a token. An unknown one is not told apart. */
export const signOut = (ctx: Context, { token }: { token: string }): Promise<{ success: true }> =>
  inTransaction(ctx, async (ctx) => {
    const session = await ctx.em.findOne(PersonSession, { tokenHash: hashToken(token) });
    session?.end(ctx.clock.now());
    return { success: true };
  });
