import { randomInt } from 'node:crypto';
import {
  CODE_CHECKS_PER_PERSON,
  JOININGS_PER_MAILBOX,
  SIGN_IN_MS,
  SIGN_INS_OF_ADDRESS_AND_MAILBOX,
  SIGN_INS_OF_ADDRESS_AND_MAILBOX_PER_DAY,
  SIGN_INS_PER_ADDRESS,
  SIGN_INS_PER_MAILBOX,
  SIGN_INS_PER_NETWORK,
  SIGN_INS_WITH_CODE,
} from '../../contracts/people.ts';
import { after, DAY_MS, SECOND_MS } from '../../platform/clock.ts';
import { type Context, siteOf } from '../../platform/context.ts';
import { generateToken } from '../../platform/crypto/token.ts';
import { lockName } from '../../platform/database/lock-name.ts';
import { execute, firstRow, rows, sql } from '../../platform/database/sql.ts';
import { canonicalEmail } from '../../platform/email.ts';
import { AppError, invariant } from '../../platform/errors.ts';
import { networkOf } from '../../platform/http/address-bucket.ts';
import { db } from '../tables.ts';
import type { Founder, Joiner } from './person-session.entity.ts';

export const codeDigest = ({ cipher }: Context, id: string, code: string): string =>
  cipher.digest(`${id} ${code}`, 'sign-in code');

const newCode = (): string => String(randomInt(1_000_000)).padStart(6, '0');

export interface NewSignIn {
  id: string;
  url: string;
  code: string;
  expiresAt: Date;
}

interface SignInOf {
  email: string;
  /** Address of the person who asks; null for the operator. */
  address: string | null;
}

interface SignInKind {
  /** It is useless, no matter who has the address. */
  isForNobody?: boolean;
  /** The person who joins or signs up with it, known or not: nobody signs in with it. */
  joiner?: Joiner | Founder | null;
  linkPath?: string;
  /** Session of the person who asks for a fresh check. */
  sessionId?: string | null;
  /** False: the mail has a link only. */
  hasCode?: boolean;
}

/**
 * A link and a code. Whether somebody has the address decides only what is stored, so that nobody can tell it by the time that this
 * takes; the mail of an address that nobody has is dropped when it would be sent. Both are good where they were asked for: under the
 * name of this server, or the domain of a program. A template: it looks up while it inserts.
 */
export const createSignIn = async (
  ctx: Context,
  { email, address }: SignInOf,
  { isForNobody = false, joiner = null, linkPath = '/sign-in/link', sessionId = null, hasCode = true }: SignInKind = {},
): Promise<NewSignIn> => {
  const stored = isForNobody ? null : joiner;
  const isSignIn = !isForNobody && joiner === null;
  const id = ctx.ids.next();
  const { token, tokenHash } = generateToken();
  const code = newCode();
  const guessed = hasCode ? code : generateToken().token;
  const now = ctx.clock.now();
  const expiresAt = after(now, SIGN_IN_MS);
  const site = siteOf(ctx);
  await execute(
    ctx.em,
    sql`insert into sign_in (id, person_id, profile_id, email, name, company_name, program_id, mailbox_digest, address_digest, network_digest, session_id, is_for_nobody, token_hash, code_digest, created_at, expires_at)
      select ${id}::uuid, (select id from person where email = ${email} and ${isSignIn}::boolean),
        (select id from affiliate_profile where lower(email) = ${email} and erased_at is null and ${isSignIn}::boolean),
        ${stored?.email ?? null}, ${stored?.name ?? null}, ${stored && 'companyName' in stored ? stored.companyName : null}, ${site?.programId ?? null}::uuid,
        ${mailboxOf(ctx, email)}, ${addressOf(ctx, address)}, ${networkDigestOf(ctx, address)},
        ${sessionId}::uuid, ${isForNobody}::boolean, ${tokenHash}, ${codeDigest(ctx, id, guessed)}, ${now.toISOString()}::timestamptz, ${expiresAt.toISOString()}::timestamptz`,
  );
  return { id, code, expiresAt, url: `${site?.origin ?? ctx.settings.publicUrl}${linkPath}?token=${token}` };
};

const mailboxOf = ({ cipher }: Context, email: string): string => cipher.digest(canonicalEmail(email), 'sign-in mailbox');
const addressOf = <Address extends string | null>({ cipher }: Context, address: Address) =>
  address === null ? null : cipher.digest(address, 'sign-in address');
const networkDigestOf = (ctx: Context, address: string | null) => (address === null ? null : addressOf(ctx, networkOf(address)));

interface Recent {
  ofAddress: number;
  ofNetwork: number;
  ofMailbox: number;
  joiningsOfMailbox: number;
  ofBoth: number;
  ofBothToday: number;
}

/** Requests of the address and its network, and mails to the mailbox and of both, within the lifetime of a link and in a day. */
const countRecent = async (ctx: Context, { email, address }: SignInOf): Promise<Recent> => {
  const now = ctx.clock.now();
  const [since, today] = [after(now, -SIGN_IN_MS).toISOString(), after(now, -DAY_MS).toISOString()];
  const byAddress = sql`address_digest = ${addressOf(ctx, address)}`;
  const found = await firstRow(
    ctx.em,
    sql<Recent>`select
      (select count(*)::int from sign_in where ${byAddress} and created_at > ${since}::timestamptz) as "ofAddress",
      (select count(*)::int from sign_in where network_digest = ${networkDigestOf(ctx, address)} and created_at > ${since}::timestamptz)
        as "ofNetwork", mails.*
      from (select count(*) filter (where created_at > ${since}::timestamptz)::int as "ofMailbox",
          count(*) filter (where email is not null and created_at > ${since}::timestamptz)::int as "joiningsOfMailbox",
          count(*) filter (where ${byAddress} and created_at > ${since}::timestamptz)::int as "ofBoth",
          count(*) filter (where ${byAddress})::int as "ofBothToday"
        from sign_in where mailbox_digest = ${mailboxOf(ctx, email)} and created_at > ${today}::timestamptz
          and not is_for_nobody and session_id is null) mails`,
  );
  invariant(found, 'a count is a row');
  return found;
};

/** The response to the person who asked: the same for every address. */
export interface StartedSignIn {
  id: string;
  expiresAt: string;
}

const tooMany = (): AppError =>
  new AppError('RATE_LIMITED', 'Too many requests to sign in. Wait some minutes', { retryAfter: SIGN_IN_MS / SECOND_MS });

/** Whether one more mail would be too many for the mailbox: of this address, for joining, or in all. */
const isFull = ({ ofBoth, ofBothToday, ofMailbox, joiningsOfMailbox }: Recent, isJoining: boolean): boolean =>
  ofBoth >= SIGN_INS_OF_ADDRESS_AND_MAILBOX ||
  ofBothToday >= SIGN_INS_OF_ADDRESS_AND_MAILBOX_PER_DAY ||
  ofMailbox >= SIGN_INS_PER_MAILBOX ||
  (isJoining && joiningsOfMailbox >= JOININGS_PER_MAILBOX);

/** `code`: null when the mail has only the link. */
export interface LimitedSignIn extends Omit<NewSignIn, 'code'> {
  code: string | null;
  isMailed: boolean;
}

/**
 * RATE_LIMITED for a sender who asks too often. A mailbox for which this sender, or all senders, asked too often gets no further mail, and
 * nobody is told: what is stored then is for nobody.
 */
export const createLimited = async (
  ctx: Context,
  email: string,
  kind: Pick<SignInKind, 'joiner' | 'linkPath'>,
): Promise<LimitedSignIn> => {
  const of = { email, address: ctx.origin?.address ?? null };
  await lockName(ctx, `sign-in:${addressOf(ctx, of.address ?? '')}`);
  await lockName(ctx, `sign-in:${mailboxOf(ctx, of.email)}`);
  const recent = await countRecent(ctx, of);
  if (recent.ofAddress >= SIGN_INS_PER_ADDRESS || recent.ofNetwork >= SIGN_INS_PER_NETWORK) throw tooMany();
  const isForNobody = isFull(recent, kind.joiner != null);
  const hasCode = recent.ofMailbox < SIGN_INS_WITH_CODE;
  const { code, ...created } = await createSignIn(ctx, of, { ...kind, isForNobody, hasCode });
  return { ...created, code: hasCode ? code : null, isMailed: !isForNobody };
};

/** A code for a fresh check of whoever is signed in. RATE_LIMITED for a person who asks too often, whatever others ask for. */
export const createCodeCheck = async (
  ctx: Context,
  { personId, sessionId, email }: { personId: string; sessionId: string; email: string },
): Promise<NewSignIn> => {
  await lockName(ctx, `code-check:${personId}`);
  const since = after(ctx.clock.now(), -SIGN_IN_MS).toISOString();
  const asked = await rows(
    ctx.em,
    db
      .selectFrom('sign_in')
      .select('id')
      .where('personId', '=', personId)
      .where('sessionId', 'is not', null)
      .where('createdAt', '>', since)
      .limit(CODE_CHECKS_PER_PERSON),
  );
  if (asked.length >= CODE_CHECKS_PER_PERSON) throw tooMany();
  return createSignIn(ctx, { email, address: null }, { sessionId });
};

export const toStarted = ({ id, expiresAt }: Pick<NewSignIn, 'id' | 'expiresAt'>): StartedSignIn => ({
  id,
  expiresAt: expiresAt.toISOString(),
});
