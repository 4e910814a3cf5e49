import { randomInt } from 'node:crypto';
import { LockMode } from '@mikro-orm/core';
import { SIGN_IN_MS, SIGN_INS_PER_ADDRESS, SIGN_INS_PER_MAILBOX } from '../../../contracts/people.ts';
import { after } from '../../../platform/clock.ts';
import { type Context, emitInternal, inTransaction } from '../../../platform/context.ts';
import { lockName } from '../../../platform/database/lock-name.ts';
import { execute, firstRow, flushPending, sql } from '../../../platform/database/sql.ts';
import { canonicalEmail } from '../../../platform/email.ts';
import { AppError, invariant } from '../../../platform/errors.ts';
import { db } from '../../tables.ts';
import { findOrCreatePerson } from '../find-or-create-person.ts';
import { lockSession, personOf, readPerson } from '../people.queries.ts';
import type { StartedSessionView } from '../people.wire.ts';
import { SignIn } from '../person-session.entity.ts';
import { startSession } from '../start-session.ts';
import { generateToken, hashToken } from '../token.ts';

const codeDigest = ({ cipher }: Context, id: string, code: string): string => cipher.digest(`${id} ${code}`, 'sign-in code');

const newCode = (): string => String(randomInt(1_000_000)).padStart(6, '0');

export interface NewSignIn {
  id: string;
  url: string;
  code: string;
  expiresAt: Date;
}

interface SignInOf {
  email: string;
  /** Of who asks; null for the operator. */
  address: string | null;
}

/**
 * A link and a code. Whether somebody has the address decides only what is stored, so that nobody can tell it by the time that this
 * takes; the mail of an address that nobody has is dropped when it would be sent. `isForNobody`: nobody can sign in with it, whoever has
 * the address. A template: it looks up while it inserts.
 */
const createSignIn = async (ctx: Context, { email, address }: SignInOf, isForNobody = false): Promise<NewSignIn> => {
  const id = ctx.ids.next();
  const { token, tokenHash } = generateToken();
  const code = newCode();
  const now = ctx.clock.now();
  const expiresAt = after(now, SIGN_IN_MS);
  await execute(
    ctx.em,
    sql`insert into sign_in (id, person_id, profile_id, mailbox_digest, address_digest, token_hash, code_digest, created_at, expires_at)
      select ${id}::uuid, (select id from person where email = ${email} and not ${isForNobody}::boolean),
        (select id from affiliate_profile where lower(email) = ${email} and erased_at is null and not ${isForNobody}::boolean),
        ${mailboxOf(ctx, email)}, ${address === null ? null : addressOf(ctx, address)},
        ${tokenHash}, ${codeDigest(ctx, id, code)}, ${now.toISOString()}::timestamptz, ${expiresAt.toISOString()}::timestamptz`,
  );
  return { id, code, expiresAt, url: `${ctx.settings.publicUrl}/sign-in/link?token=${token}` };
};

const mailboxOf = ({ cipher }: Context, email: string): string => cipher.digest(canonicalEmail(email), 'sign-in mailbox');
const addressOf = ({ cipher }: Context, address: string): string => cipher.digest(address, 'sign-in address');

/** How many requests there were within the lifetime of a link: for the mailbox, and of the address. */
const countRecent = async (ctx: Context, { email, address }: SignInOf): Promise<{ ofMailbox: number; ofAddress: number }> => {
  const since = after(ctx.clock.now(), -SIGN_IN_MS).toISOString();
  const found = await firstRow(
    ctx.em,
    sql<{ ofMailbox: number; ofAddress: number }>`select
      (select count(*)::int from sign_in where mailbox_digest = ${mailboxOf(ctx, email)} and created_at > ${since}::timestamptz)
        as "ofMailbox",
      (select count(*)::int from sign_in where address_digest = ${addressOf(ctx, address ?? '')} and created_at > ${since}::timestamptz)
        as "ofAddress"`,
  );
  invariant(found, 'a count is a row');
  return found;
};

/**
 * Mails a link and a code to whoever has the address. The response is the same for every address. RATE_LIMITED for a sender who asks too
 * often. A mailbox that is asked for too often gets no further mail, and nobody is told: what is stored has no person, since each code of
 * a person can be guessed at.
 */
export const startSignIn = (ctx: Context, input: { email: string }): Promise<{ id: string; expiresAt: string }> =>
  inTransaction(ctx, async (ctx) => {
    const of = { email: input.email.trim().toLowerCase(), address: ctx.origin?.address ?? null };
    await lockName(ctx, `sign-in:${addressOf(ctx, of.address ?? '')}`);
    await lockName(ctx, `sign-in:${mailboxOf(ctx, of.email)}`);
    const { ofMailbox, ofAddress } = await countRecent(ctx, of);
    if (ofAddress >= SIGN_INS_PER_ADDRESS)
      throw new AppError('RATE_LIMITED', 'Too many requests to sign in. Wait some minutes', { retryAfter: SIGN_IN_MS / 1_000 });
    const isTooOften = ofMailbox >= SIGN_INS_PER_MAILBOX;
    const { id, url, code, expiresAt } = await createSignIn(ctx, of, isTooOften);
    if (!isTooOften)
      await emitInternal(ctx, { type: 'person.sign_in_requested', signInId: id, email: of.email, url, code, expiresAt });
    return { id, expiresAt: expiresAt.toISOString() };
  });

/** For the operator, who hands it over: no mail is sent. */
export const createSignInLink = (ctx: Context, { email }: { email: string }): Promise<NewSignIn> =>
  inTransaction(ctx, (ctx) => createSignIn(ctx, { email: email.trim().toLowerCase(), address: null }));

/** Deletes links and codes that ended a day ago, at most 10,000; returns how many. */
export const deleteExpiredSignIns = async (ctx: Context): Promise<number> =>
  (await firstRow(ctx.em, sql<{ deleted: number }>`select delete_expired_sign_ins(10000) as deleted`))?.deleted ?? 0;

const rejected = () => new AppError('UNAUTHORIZED', 'This link or code is not valid any more. Ask for a new one');

const LOCK = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } as const;

/** By the link of the mail. Once. */
export const signIn = (ctx: Context, { token, device }: { token: string; device?: string | undefined }) =>
  inTransaction(ctx, async (ctx) => {
    const found = await ctx.em.findOne(SignIn, { tokenHash: hashToken(token) }, LOCK);
    if (!found?.isOpen(ctx.clock.now())) throw rejected();
    return complete(ctx, found, device);
  });

/** By the code of the mail. A wrong one is counted, in a transaction of its own: the response rolls back. */
export const countCode = async (ctx: Context, { signInId }: { signInId: string }): Promise<void> => {
  await execute(
    ctx.em,
    db
      .updateTable('sign_in')
      .set(({ eb }) => ({ tries: eb('tries', '+', 1) }))
      .where('id', '=', signInId),
  );
};

/** Throws UNAUTHORIZED for a wrong code, and for one that has ended. */
const lockByCode = async (ctx: Context, of: { id: string; personId?: string }, code: string): Promise<SignIn> => {
  const found = await ctx.em.findOne(SignIn, of, LOCK);
  const isRight = found?.codeDigest === codeDigest(ctx, of.id, code.replaceAll(/\D/g, ''));
  if (!found?.isOpen(ctx.clock.now()) || !isRight) throw rejected();
  return found;
};

/** By the code of the mail, for another device. */
export const signInByCode = (
  ctx: Context,
  { signInId, code, device }: { signInId: string; code: string; device?: string | undefined },
): Promise<StartedSessionView> =>
  inTransaction(ctx, async (ctx) => {
    const found = await lockByCode(ctx, { id: signInId }, code);
    return complete(ctx, found, device);
  });

const complete = async (ctx: Context, found: SignIn, device: string | undefined): Promise<StartedSessionView> => {
  found.use(ctx.clock.now());
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

/** Mails a new code to the person who is signed in. Limited as sign-ins of their mailbox are. */
export const startCodeCheck = (ctx: Context): Promise<{ id: string; expiresAt: string }> =>
  inTransaction(ctx, async (ctx) => {
    const { email } = await readPerson(ctx);
    return startSignIn(ctx, { email });
  });

/** A fresh check of the session. The link of the mail no longer works. UNAUTHORIZED for a code of somebody else. */
export const confirmByCode = (ctx: Context, { signInId, code }: { signInId: string; code: string }): Promise<{ success: true }> =>
  inTransaction(ctx, async (ctx) => {
    const { personId, sessionId } = personOf(ctx);
    const session = await lockSession(ctx, { personId, sessionId });
    const found = await lockByCode(ctx, { id: signInId, personId }, code);
    const now = ctx.clock.now();
    found.use(now);
    session.proveByCode(now);
    return { success: true };
  });
