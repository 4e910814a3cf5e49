import { LockMode } from '@mikro-orm/core';
import { SIGN_IN_TRIES_OF_MAILBOX_PER_DAY, SIGN_IN_TRIES_PER_DAY } from '../../contracts/people.ts';
import { after, DAY_MS } from '../../platform/clock.ts';
import { type Context, siteOf } from '../../platform/context.ts';
import { hashToken } from '../../platform/crypto/token.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import { AppError, notFound } from '../../platform/errors.ts';
import { db } from '../tables.ts';
import { codeDigest } from './new-sign-in.steps.ts';
import type { OpenSignInView } from './people.wire.ts';
import { Person } from './person.entity.ts';
import { SignIn } from './person-session.entity.ts';

export const rejected = () => new AppError('UNAUTHORIZED', 'This link or code is not valid any more. Ask for a new one');

const LOCK = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } as const;

/** Only links and codes that were asked for here: people at a program's domain must not use those of this server, and vice versa. */
const askedHere = (ctx: Context) => {
  const site = siteOf(ctx);
  return site ? { programId: site.programId, createdAt: { $gte: site.since } } : { programId: null };
};

/**
 * Null for a wrong code, and for every code while too many are being tried. `sessionId` is that of a person who is signed in and proves it
 * again with a code of this session, which nobody else can block.
 */
export const lockByCode = async (
  ctx: Context,
  of: { id: string } | { id: string; personId: string; sessionId: string },
  code: string,
): Promise<SignIn | null> => {
  const found = await ctx.em.findOne(SignIn, { ...of, ...askedHere(ctx) }, LOCK);
  if (!found?.hasTriesLeft() || found.codeDigest !== codeDigest(ctx, of.id, code.replaceAll(/\D/g, ''))) return null;
  const isGuessed = 'sessionId' in of ? await isGuessedBy(ctx, of.sessionId) : await isGuessedAt(ctx, found);
  return isGuessed ? null : found;
};

const WRONG = sql<number>`tries - (used_at is not null)::int`;

/** Whether the holder of the session is guessing, as it may be stolen. The try itself is counted before it is made. */
const isGuessedBy = async (ctx: Context, sessionId: string): Promise<boolean> => {
  const found = await firstRow(
    ctx.em,
    db
      .selectFrom('sign_in')
      .select(sql<number>`coalesce(sum(${WRONG}), 0)::int`.as('ofSession'))
      .where('sessionId', '=', sessionId)
      .where('createdAt', '>', after(ctx.clock.now(), -DAY_MS).toISOString()),
  );
  return (found?.ofSession ?? 0) > SIGN_IN_TRIES_PER_DAY;
};

/**
 * Counts tries of the address that asked for this code, as it alone knows the id: a stranger spoils only their own codes. Counts those for
 * the mailbox by all addresses together, too. Each has its own limit.
 */
const isGuessedAt = async (ctx: Context, { mailboxDigest, addressDigest }: SignIn): Promise<boolean> => {
  const since = after(ctx.clock.now(), -DAY_MS).toISOString();
  const byAddress = db
    .selectFrom('sign_in')
    .select([
      sql<number>`least(sum(${WRONG}), ${SIGN_IN_TRIES_PER_DAY + 1}::int)`.as('wrong'),
      sql<boolean>`address_digest is not distinct from ${addressDigest}`.as('isOwn'),
    ])
    .where('mailboxDigest', '=', mailboxDigest)
    .where('sessionId', 'is', null)
    .where('createdAt', '>', since)
    .groupBy('addressDigest');
  const found = await firstRow(
    ctx.em,
    db
      .selectFrom(byAddress.as('a'))
      .select([
        sql<number>`coalesce(sum(a.wrong), 0)::int`.as('ofAll'),
        sql<number>`coalesce(sum(a.wrong) filter (where a.is_own), 0)::int`.as('ofAddress'),
      ]),
  );
  // The try itself is counted before it is made.
  return (found?.ofAddress ?? 0) > SIGN_IN_TRIES_PER_DAY || (found?.ofAll ?? 0) > SIGN_IN_TRIES_OF_MAILBOX_PER_DAY;
};

/** What people see who have the link of a mail. NOT_FOUND when it was used or has ended. */
export const getSignInLink = async (ctx: Context, { token }: { token: string }): Promise<OpenSignInView> => {
  const found = await ctx.em.findOne(SignIn, { tokenHash: hashToken(token), ...askedHere(ctx) });
  const email = found?.isValid(ctx.clock.now()) ? await addressOf(ctx, found) : null;
  if (email === null) throw notFound('Link');
  return { email };
};

/** Null if it is for nobody. */
const addressOf = async (ctx: Context, { email, personId, profileId }: SignIn): Promise<string | null> => {
  if (email) return email;
  if (personId) return (await ctx.em.findOne(Person, { id: personId }))?.email ?? null;
  if (!profileId) return null;
  const profile = db.selectFrom('affiliate_profile').select('email').where('id', '=', profileId);
  return (await firstRow(ctx.em, profile.where('erasedAt', 'is', null)))?.email ?? null;
};

export const lockByToken = (ctx: Context, token: string): Promise<SignIn | null> =>
  ctx.em.findOne(SignIn, { tokenHash: hashToken(token), ...askedHere(ctx) }, LOCK);
