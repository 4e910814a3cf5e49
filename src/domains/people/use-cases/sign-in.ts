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
import { type Joiner, SignIn } from '../person-session.entity.ts';
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

interface SignInKind {
  /** Nobody can do anything with it, whoever has the address. */
  isForNobody?: boolean;
  /** Who joins with it, known or not: nobody signs in with it. */
  joiner?: Joiner | null;
  linkPath?: string;
}

/**
 * A link and a code. Whether somebody has the address decides only what is stored, so that nobody can tell it by the time that this
 * takes; the mail of an address that nobody has is dropped when it would be sent. A template: it looks up while it inserts.
 */
const createSignIn = async (
  ctx: Context,
  { email, address }: SignInOf,
  { isForNobody = false, joiner = null, linkPath = '/sign-in/link' }: SignInKind = {},
): Promise<NewSignIn> => {
  const stored = isForNobody ? null : joiner;
  const isSignIn = !isForNobody && joiner === null;
  const id = ctx.ids.next();
  const { token, tokenHash } = generateToken();
  const code = newCode();
  const now = ctx.clock.now();
  const expiresAt = after(now, SIGN_IN_MS);
  await execute(
    ctx.em,
    sql`insert into sign_in (id, person_id, profile_id, email, name, mailbox_digest, address_digest, token_hash, code_digest, created_at, expires_at)
      select ${id}::uuid, (select id from person where email = ${email} and ${isSignIn}::boolean),
        (select id from affiliate_profile where lower(email) = ${email} and erased_at is null and ${isSignIn}::boolean),
        ${stored?.email ?? null}, ${stored?.name ?? null},
        ${mailboxOf(ctx, email)}, ${address === null ? null : addressOf(ctx, address)},
        ${tokenHash}, ${codeDigest(ctx, id, code)}, ${now.toISOString()}::timestamptz, ${expiresAt.toISOString()}::timestamptz`,
  );
  return { id, code, expiresAt, url: `${ctx.settings.publicUrl}${linkPath}?token=${token}` };
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

/** As it is returned to whoever asked: the same for every address. */
export interface StartedSignIn {
  id: string;
  expiresAt: string;
}

/**
 * RATE_LIMITED for a sender who asks too often. A mailbox that is asked for too often gets no further mail, and nobody is told: what is
 * stored is for nobody, since each code of a person can be guessed at.
 */
const createLimited = async (
  ctx: Context,
  email: string,
  kind: Omit<SignInKind, 'isForNobody'>,
): Promise<NewSignIn & { isMailed: boolean }> => {
  const of = { email, address: ctx.origin?.address ?? null };
  await lockName(ctx, `sign-in:${addressOf(ctx, of.address ?? '')}`);
  await lockName(ctx, `sign-in:${mailboxOf(ctx, of.email)}`);
  const { ofMailbox, ofAddress } = await countRecent(ctx, of);
  if (ofAddress >= SIGN_INS_PER_ADDRESS)
    throw new AppError('RATE_LIMITED', 'Too many requests to sign in. Wait some minutes', { retryAfter: SIGN_IN_MS / 1_000 });
  const isForNobody = ofMailbox >= SIGN_INS_PER_MAILBOX;
  return { ...(await createSignIn(ctx, of, { ...kind, isForNobody })), isMailed: !isForNobody };
};

const toStarted = ({ id, expiresAt }: NewSignIn): StartedSignIn => ({ id, expiresAt: expiresAt.toISOString() });

/** Mails a link and a code to whoever has the address. Limited by sender and mailbox. */
export const startSignIn = (ctx: Context, input: { email: string }): Promise<StartedSignIn> =>
  inTransaction(ctx, async (ctx) => {
    const email = input.email.trim().toLowerCase();
    const created = await createLimited(ctx, email, {});
    const { id: signInId, url, code, expiresAt, isMailed } = created;
    if (isMailed) await emitInternal(ctx, { type: 'person.sign_in_requested', signInId, email, url, code, expiresAt });
    return toStarted(created);
  });

export interface JoinRequest extends Joiner {
  program: { merchantId: string; programName: string; companyName: string };
  /** Where the link of the mail leads to, below the public URL. */
  linkPath: string;
}

/**
 * As `startSignIn`, for whoever joins a program, known or not. Nothing is made of the address before it is proved with the link or the
 * code.
 */
export const startJoining = (ctx: Context, { program, linkPath, ...given }: JoinRequest): Promise<StartedSignIn> =>
  inTransaction(ctx, async (ctx) => {
    const joiner = { email: given.email.trim().toLowerCase(), name: given.name };
    const created = await createLimited(ctx, joiner.email, { joiner, linkPath });
    const { id: signInId, url, code, expiresAt, isMailed } = created;
    const { email } = joiner;
    if (isMailed) await emitInternal(ctx, { type: 'person.join_requested', signInId, email, ...program, url, code, expiresAt });
    return toStarted(created);
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
    return complete(ctx, await lockByToken(ctx, token), device);
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

/** Null for a wrong code. */
const lockByCode = async (ctx: Context, of: { id: string; personId?: string }, code: string): Promise<SignIn | null> => {
  const found = await ctx.em.findOne(SignIn, of, LOCK);
  return found?.codeDigest === codeDigest(ctx, of.id, code.replaceAll(/\D/g, '')) ? found : null;
};

const lockByToken = (ctx: Context, token: string): Promise<SignIn | null> =>
  ctx.em.findOne(SignIn, { tokenHash: hashToken(token) }, LOCK);

/** By the code of the mail, for another device. */
export const signInByCode = (
  ctx: Context,
  { signInId, code, device }: { signInId: string; code: string; device?: string | undefined },
): Promise<StartedSessionView> =>
  inTransaction(ctx, async (ctx) => {
    return complete(ctx, await lockByCode(ctx, { id: signInId }, code), device);
  });

/** Throws UNAUTHORIZED for what is wrong, has ended, or is not for a sign-in. */
const complete = async (ctx: Context, found: SignIn | null, device: string | undefined): Promise<StartedSessionView> => {
  const now = ctx.clock.now();
  if (!found?.isOpen(now)) throw rejected();
  found.use(now);
  const personId = found.personId ?? (await personOfProfile(ctx, found.profileId ?? ''));
  await flushPending(ctx.em);
  return startSession(ctx, { personId, device, provedBy: 'code' });
};

/** Who joins by the link of the mail. Once. */
export const takeJoinerByLink = async (ctx: Context, { token }: { token: string }): Promise<Joiner> =>
  takeJoiner(ctx, await lockByToken(ctx, token));

/** Who joins by the code of the mail. Once. */
export const takeJoinerByCode = async (ctx: Context, of: { signInId: string; code: string }): Promise<Joiner> =>
  takeJoiner(ctx, await lockByCode(ctx, { id: of.signInId }, of.code));

/** Throws UNAUTHORIZED for what is wrong, has ended, or is not for joining. */
const takeJoiner = (ctx: Context, found: SignIn | null): Joiner => {
  const now = ctx.clock.now();
  const joiner = found?.joinerAt(now);
  if (!found || !joiner) throw rejected();
  found.use(now);
  return joiner;
};

/** Signs in whoever has proved their address, as the person of it. */
export const signInJoiner = async (ctx: Context, joiner: Joiner, device: string | undefined): Promise<StartedSessionView> => {
  const { id: personId } = await findOrCreatePerson(ctx, joiner);
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
    if (!found?.isOpen(now)) throw rejected();
    found.use(now);
    session.proveByCode(now);
    return { success: true };
  });
