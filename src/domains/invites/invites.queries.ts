import { LockMode } from '@mikro-orm/core';
import { type Context, callerOf } from '../../platform/context.ts';
import { compileOnce, type Given } from '../../platform/database/compiled.ts';
import { lockName } from '../../platform/database/lock-name.ts';
import { expressionBuilder, firstRow, rows, sql } from '../../platform/database/sql.ts';
import { invariant, notFound } from '../../platform/errors.ts';
import { readOwned } from '../../platform/ownership.ts';
import { PORTAL_COLUMNS, readOwnedProgram } from '../programs/index.ts';
import { db, type Tables } from '../tables.ts';
import { Invite } from './invite.entity.ts';
import { inviteStatusOf } from './invite-status.rules.ts';
import { type InviteView, type PublicInviteView, toInvite, toPublicInvite, toReadInvite } from './invites.wire.ts';

const MAX_CLOSED = 100;

const INVITE = [
  'id',
  'token',
  'programId',
  'email',
  'name',
  'isPublic',
  'usageLimit',
  'usageCount',
  'trackingCode',
  'skipOnboarding',
  'expiresAt',
  'createdAt',
] as const satisfies readonly (keyof Tables['invite'])[];

const eb = expressionBuilder<Tables, 'invite'>();

const isUsable = (now: Date) => eb.and([eb('usageCount', '<', eb.ref('usageLimit')), eb('expiresAt', '>', now.toISOString())]);

/**
 * The invites of a program that can be claimed, and the 100 newest of the others; newest first. Not paged: at most
 * `MAX_OPEN_INVITES_PER_PROGRAM` can be claimed. NOT_FOUND and FORBIDDEN as for the program itself.
 */
export const listInvites = async (ctx: Context, programId: string): Promise<InviteView[]> => {
  const program = await readOwnedProgram(ctx, programId);
  const now = ctx.clock.now();
  const invites = db.selectFrom('invite').select(INVITE).where('programId', '=', programId);
  const newestClosed = invites
    .where(eb.not(isUsable(now)))
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(MAX_CLOSED);
  const listed = invites.where(isUsable(now)).unionAll(({ parens }) => parens(newestClosed));
  const found = await rows(
    ctx.em,
    db.selectFrom(listed.as('shown')).select(INVITE).orderBy('createdAt', 'desc').orderBy('id', 'desc'),
  );
  const shown = callerOf(ctx).scopes.includes('affiliates:manage') ? toInvite : toReadInvite;
  return found.map((row) => shown(row, inviteStatusOf(row, program.status, now)));
};

const inviteByToken = compileOnce(({ token }: Given<{ token: string }>) =>
  db
    .selectFrom('invite as i')
    .innerJoin('program as p', 'p.id', 'i.programId')
    .innerJoin('merchant as m', 'm.id', 'i.merchantId')
    .leftJoin('program_portal as o', 'o.programId', 'p.id')
    .select(PORTAL_COLUMNS)
    .select([
      'i.token',
      'i.programId',
      'i.usageCount',
      'i.usageLimit',
      'i.expiresAt',
      'i.createdAt',
      'p.name as programName',
      'p.status as programStatus',
      'p.description as programDescription',
      'p.website',
      'p.termsUrl',
      'p.commissionType',
      'p.commissionPercent',
      'p.commissionLimitMonths',
      'p.currency',
      'm.companyName',
    ])
    .select((invite) => invite('i.email', 'is not', null).$castTo<boolean>().as('hasEmail'))
    .where('i.token', '=', token),
);

/** What the holder of a token may know. NOT_FOUND for an unknown token. */
export const getInvite = async (ctx: Context, token: string): Promise<PublicInviteView> => {
  const row = await firstRow(ctx.em, inviteByToken({ token }));
  if (!row) throw notFound('Invite');
  return toPublicInvite(ctx, row, inviteStatusOf(row, row.programStatus, ctx.clock.now()));
};

const inviteeByToken = compileOnce(({ token }: Given<{ token: string }>) =>
  db
    .selectFrom('invite as i')
    .innerJoin('program as p', 'p.id', 'i.programId')
    .innerJoin('merchant as m', 'm.id', 'i.merchantId')
    .select(['i.merchantId', 'i.programId', 'i.email', 'i.usageCount', 'i.usageLimit', 'i.expiresAt'])
    .select(['p.name as programName', 'p.status as programStatus', 'm.companyName'])
    .where('i.token', '=', token),
);

/** Whom an invite is for, and into what: not to be shown. NOT_FOUND for an unknown token. */
export const getInviteToJoin = async (ctx: Context, token: string) => {
  const row = await firstRow(ctx.em, inviteeByToken({ token }));
  if (!row) throw notFound('Invite');
  const { merchantId, programId, email, programName, companyName } = row;
  return {
    email,
    programId,
    status: inviteStatusOf(row, row.programStatus, ctx.clock.now()),
    program: { merchantId, programName, companyName },
  };
};

/** Locks an invite until the transaction ends: claims of one invite wait for each other. NOT_FOUND for an unknown token. */
export const lockInvite = async (ctx: Context, token: string): Promise<Invite> => {
  const invite = await ctx.em.findOne(Invite, { token }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!invite) throw notFound('Invite');
  return invite;
};

/** Until the transaction ends, no other one counts or adds invites of the program. */
export const lockInvites = (ctx: Context, programId: string): Promise<number> => lockName(ctx, `invites:${programId}`);

/** The last to expire of the plain invites of a person that can be claimed. Lower case. */
export const findOpenInvite = async (
  ctx: Context,
  { programId, email }: { programId: string; email: string },
): Promise<Invite | null> => {
  const found = await firstRow(
    ctx.em,
    db
      .selectFrom('invite')
      .select('id')
      .where('email', '=', email)
      .where('programId', '=', programId)
      .where(isUsable(ctx.clock.now()))
      .where('trackingCode', 'is', null)
      .where('skipOnboarding', '=', true)
      .orderBy('expiresAt', 'desc')
      .limit(1),
  );
  return found && ctx.em.findOne(Invite, { id: found.id });
};

/** The caller's affiliate: whom an invite is for, and whether they joined with a key of their own. NOT_FOUND and FORBIDDEN. */
export const getInvitee = async (ctx: Context, affiliateId: string) =>
  readOwned(
    ctx,
    'Affiliate',
    await firstRow(
      ctx.em,
      db
        .selectFrom('affiliate as a')
        .innerJoin('affiliate_profile as f', 'f.id', 'a.profileId')
        .select(['a.merchantId', 'a.programId', 'a.status'])
        .select(sql<string>`lower(f.email)`.as('email'))
        .select(({ eb }) => eb('a.profileHidden', '=', false).$castTo<boolean>().as('hasJoined'))
        .where('a.id', '=', affiliateId),
    ),
  );

/** Invites that can be claimed, counted under a lock: until the transaction ends, no other one counts them. */
export const lockInviteCount = async (ctx: Context, programId: string): Promise<number> => {
  await lockInvites(ctx, programId);
  const counted = await firstRow(
    ctx.em,
    db
      .selectFrom('invite')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('programId', '=', programId)
      .where(isUsable(ctx.clock.now())),
  );
  invariant(counted, 'a count has one row');
  return counted.count;
};
