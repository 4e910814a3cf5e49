import { randomInt } from 'node:crypto';
import { SIGN_IN_MS, SIGN_INS_PER_ADDRESS, SIGN_INS_PER_MAILBOX, SIGN_INS_PER_NETWORK } from '../../contracts/people.ts';
import { after } from '../../platform/clock.ts';
import { type Context, siteOf } from '../../platform/context.ts';
import { generateToken } from '../../platform/crypto/token.ts';
import { lockName } from '../../platform/database/lock-name.ts';
import { execute, firstRow, sql } from '../../platform/database/sql.ts';
import { canonicalEmail } from '../../platform/email.ts';
import { AppError, invariant } from '../../platform/errors.ts';
import { networkOf } from '../../platform/http/address-bucket.ts';
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
  /** Of who asks; null for the operator. */
  address: string | null;
}

interface SignInKind {
  /** Nobody can do anything with it, whoever has the address. */
  isForNobody?: boolean;
  /** Who joins with it, or signs up, known or not: nobody signs in with it. */
  joiner?: Joiner | Founder | null;
  linkPath?: string;
}

/**
 * A link and a code. Whether somebody has the address decides only what is stored, so that nobody can tell it by the time that this
 * takes; the mail of an address that nobody has is dropped when it would be sent. Both are good where they were asked for: under the
 * name of this server, or the domain of a program. A template: it looks up while it inserts.
 */
export const createSignIn = async (
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
  const site = siteOf(ctx);
  await execute(
    ctx.em,
    sql`insert into sign_in (id, person_id, profile_id, email, name, company_name, program_id, mailbox_digest, address_digest, network_digest, token_hash, code_digest, created_at, expires_at)
      select ${id}::uuid, (select id from person where email = ${email} and ${isSignIn}::boolean),
        (select id from affiliate_profile where lower(email) = ${email} and erased_at is null and ${isSignIn}::boolean),
        ${stored?.email ?? null}, ${stored?.name ?? null}, ${stored && 'companyName' in stored ? stored.companyName : null}, ${site?.programId ?? null}::uuid,
        ${mailboxOf(ctx, email)}, ${addressOf(ctx, address)}, ${networkDigestOf(ctx, address)},
        ${tokenHash}, ${codeDigest(ctx, id, code)}, ${now.toISOString()}::timestamptz, ${expiresAt.toISOString()}::timestamptz`,
  );
  return { id, code, expiresAt, url: `${site?.origin ?? ctx.settings.publicUrl}${linkPath}?token=${token}` };
};

const mailboxOf = ({ cipher }: Context, email: string): string => cipher.digest(canonicalEmail(email), 'sign-in mailbox');
const addressOf = <Address extends string | null>({ cipher }: Context, address: Address) =>
  address === null ? null : cipher.digest(address, 'sign-in address');
const networkDigestOf = (ctx: Context, address: string | null) => (address === null ? null : addressOf(ctx, networkOf(address)));

interface Recent {
  ofMailbox: number;
  ofAddress: number;
  ofNetwork: number;
}

/** How many requests there were within the lifetime of a link: for the mailbox, of the address, and of its network. */
const countRecent = async (ctx: Context, { email, address }: SignInOf): Promise<Recent> => {
  const since = after(ctx.clock.now(), -SIGN_IN_MS).toISOString();
  const found = await firstRow(
    ctx.em,
    sql<Recent>`select
      (select count(*)::int from sign_in where mailbox_digest = ${mailboxOf(ctx, email)} and created_at > ${since}::timestamptz)
        as "ofMailbox",
      (select count(*)::int from sign_in where address_digest = ${addressOf(ctx, address)} and created_at > ${since}::timestamptz)
        as "ofAddress",
      (select count(*)::int from sign_in where network_digest = ${networkDigestOf(ctx, address)} and created_at > ${since}::timestamptz)
        as "ofNetwork"`,
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
export const createLimited = async (
  ctx: Context,
  email: string,
  kind: Omit<SignInKind, 'isForNobody'>,
): Promise<NewSignIn & { isMailed: boolean }> => {
  const of = { email, address: ctx.origin?.address ?? null };
  await lockName(ctx, `sign-in:${addressOf(ctx, of.address ?? '')}`);
  await lockName(ctx, `sign-in:${mailboxOf(ctx, of.email)}`);
  const { ofMailbox, ofAddress, ofNetwork } = await countRecent(ctx, of);
  if (ofAddress >= SIGN_INS_PER_ADDRESS || ofNetwork >= SIGN_INS_PER_NETWORK)
    throw new AppError('RATE_LIMITED', 'Too many requests to sign in. Wait some minutes', { retryAfter: SIGN_IN_MS / 1_000 });
  const isForNobody = ofMailbox >= SIGN_INS_PER_MAILBOX;
  return { ...(await createSignIn(ctx, of, { ...kind, isForNobody })), isMailed: !isForNobody };
};

export const toStarted = ({ id, expiresAt }: NewSignIn): StartedSignIn => ({ id, expiresAt: expiresAt.toISOString() });
