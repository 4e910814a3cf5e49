import { SIGN_IN_TRIES } from '../../../contracts/people.ts';
import { type Context, emitInternal, inTransaction } from '../../../platform/context.ts';
import { execute, firstRow, flushPending, sql } from '../../../platform/database/sql.ts';
import { db } from '../../tables.ts';
import { findOrCreatePerson } from '../find-or-create-person.steps.ts';
import { lockByCode, lockByToken, rejected } from '../lock-sign-in.steps.ts';
import {
  createCodeCheck,
  createLimited,
  createSignIn,
  type NewSignIn,
  type StartedSignIn,
  toStarted,
} from '../new-sign-in.steps.ts';
import { lockSession, personOf, readPerson } from '../people.queries.ts';
import type { StartedSessionView } from '../people.wire.ts';
import type { SignIn } from '../person-session.entity.ts';
import { startSession } from '../start-session.steps.ts';

/** Mails a link and a code to whoever has the address. Limited by sender and mailbox. */
export const startSignIn = (ctx: Context, input: { email: string }): Promise<StartedSignIn> =>
  inTransaction(ctx, async (ctx) => {
    const email = input.email.trim().toLowerCase();
    const created = await createLimited(ctx, email, {});
    const { id: signInId, url, code, expiresAt, isMailed } = created;
    if (isMailed) await emitInternal(ctx, { type: 'person.sign_in_requested', signInId, email, url, code, expiresAt });
    return toStarted(created);
  });

/** For the operator, who hands it over: no mail is sent. */
export const createSignInLink = (ctx: Context, { email }: { email: string }): Promise<NewSignIn> =>
  inTransaction(ctx, (ctx) => createSignIn(ctx, { email: email.trim().toLowerCase(), address: null }));

/** Deletes links and codes that ended a day ago, at most 10,000; returns how many. */
export const deleteExpiredSignIns = async (ctx: Context): Promise<number> =>
  (await firstRow(ctx.em, sql<{ deleted: number }>`select delete_expired_sign_ins(10000) as deleted`))?.deleted ?? 0;

/** By the link of the mail. Once. */
export const signIn = (ctx: Context, { token, device }: { token: string; device?: string | undefined }) =>
  inTransaction(ctx, async (ctx) => complete(ctx, await lockByToken(ctx, token), device));

/**
 * By the code of the mail. A wrong one is counted, in a transaction of its own: the response rolls back. Those after the last try are not:
 * they say nothing about the other codes of the mailbox.
 */
export const countCode = async (ctx: Context, { signInId }: { signInId: string }): Promise<void> => {
  await execute(
    ctx.em,
    db
      .updateTable('sign_in')
      .set(({ eb }) => ({ tries: eb('tries', '+', 1) }))
      .where('id', '=', signInId)
      .where('tries', '<=', SIGN_IN_TRIES),
  );
};

/** By the code of the mail, for another device. */
export const signInByCode = (
  ctx: Context,
  { signInId, code, device }: { signInId: string; code: string; device?: string | undefined },
): Promise<StartedSessionView> =>
  inTransaction(ctx, async (ctx) => complete(ctx, await lockByCode(ctx, { id: signInId }, code), device));

/** Throws UNAUTHORIZED for what is wrong, has ended, or is not for a sign-in. */
const complete = async (ctx: Context, found: SignIn | null, device: string | undefined): Promise<StartedSessionView> => {
  const now = ctx.clock.now();
  if (!found?.isOpen(now)) throw rejected();
  found.use(now);
  const personId = found.personId ?? (await personOfProfile(ctx, found.profileId ?? ''));
  await flushPending(ctx.em);
  return startSession(ctx, { personId, device, provedBy: 'code' });
};

const personOfProfile = async (ctx: Context, profileId: string): Promise<string> => {
  const profile = await firstRow(
    ctx.em,
    db.selectFrom('affiliate_profile').select(['email', 'name']).where('id', '=', profileId).where('erasedAt', 'is', null),
  );
  if (!profile) throw rejected();
  return (await findOrCreatePerson(ctx, profile)).id;
};

/** Mails a new code to the person who is signed in. Limited by person: what others ask for with the mailbox does not count. */
export const startCodeCheck = (ctx: Context): Promise<StartedSignIn> =>
  inTransaction(ctx, async (ctx) => {
    const { personId, sessionId } = personOf(ctx);
    const { email } = await readPerson(ctx);
    const { id: signInId, url, code, expiresAt } = await createCodeCheck(ctx, { personId, sessionId, email });
    await emitInternal(ctx, { type: 'person.sign_in_requested', signInId, email, url, code, expiresAt });
    return toStarted({ id: signInId, expiresAt });
  });

/** A fresh check of the session. The link of the mail no longer works. UNAUTHORIZED for a code of somebody else. */
export const confirmByCode = (ctx: Context, { signInId, code }: { signInId: string; code: string }): Promise<{ success: true }> =>
  inTransaction(ctx, async (ctx) => {
    const { personId, sessionId } = personOf(ctx);
    const session = await lockSession(ctx, { personId, sessionId });
    const found = await lockByCode(ctx, { id: signInId, personId, sessionId }, code);
    const now = ctx.clock.now();
    if (!found?.isOpen(now)) throw rejected();
    found.use(now);
    session.proveByCode(now);
    return { success: true };
  });
