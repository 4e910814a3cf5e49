import { randomBytes } from 'node:crypto';
import { INVITE_DAYS_DEFAULT, MAX_INVITE_USES, MAX_OPEN_INVITES_PER_PROGRAM } from '../../../contracts/limits.ts';
import { recordChange } from '../../../platform/audit-log/record-change.ts';
import { after, DAY_MS } from '../../../platform/clock.ts';
import { type Context, emitInternal, inTransaction } from '../../../platform/context.ts';
import { conflict, invalidField } from '../../../platform/errors.ts';
import { lockOwned } from '../../../platform/ownership.ts';
import { allotMembership, endReservation } from '../../affiliates/index.ts';
import { assertMayAddAffiliates } from '../../merchants/index.ts';
import { readOwnedProgram } from '../../programs/index.ts';
import { Invite } from '../invite.entity.ts';
import { inviteStatusOf } from '../invite-status.rules.ts';
import { findOpenInvite, getInvitee, lockInviteCount, lockInvites } from '../invites.queries.ts';
import { type InviteView, toInvite } from '../invites.wire.ts';

export interface CreateInviteInput {
  programId: string;
  /** Lower case. */
  email?: string | undefined;
  name?: string | undefined;
  isPublic?: boolean | undefined;
  usageLimit?: number | undefined;
  expiresInDays?: number | undefined;
  /** Lower case. */
  trackingCode?: string | undefined;
  skipOnboarding?: boolean | undefined;
  /** To `email`. */
  sendMail?: boolean | undefined;
}

/**
 * Creates an invite, and reserves its tracking code until it expires. With `sendMail`, MAIL_LIMIT and ALREADY_INVITED when the mail
 * cannot be written: then there is no invite either.
 */
export const createInvite = (ctx: Context, input: CreateInviteInput): Promise<InviteView> =>
  inTransaction(ctx, async (ctx) => {
    const { programId, email, name, trackingCode, isPublic = false, skipOnboarding = false } = input;
    if (input.sendMail && email === undefined) throw invalidField('sendMail', 'is not allowed without an email');
    const program = await readOwnedProgram(ctx, programId);
    await assertMayAddAffiliates(ctx, program.merchantId);
    const usageLimit = usageLimitOf(input);
    await assertBelowLimit(ctx, programId);
    const now = ctx.clock.now();
    const expiresAt = after(now, (input.expiresInDays ?? INVITE_DAYS_DEFAULT) * DAY_MS);
    const invite = ctx.em.create(Invite, {
      id: ctx.ids.next(),
      merchantId: program.merchantId,
      programId,
      token: generateToken(),
      email: email ?? null,
      name: name ?? null,
      isPublic,
      usageLimit,
      usageCount: 0,
      trackingCode: trackingCode ?? null,
      codeHolderId: trackingCode === undefined ? null : await reserve(ctx, trackingCode, expiresAt),
      skipOnboarding,
      expiresAt,
      createdAt: now,
    });
    if (input.sendMail) await requestMail(ctx, invite);
    await recordChange(ctx, {
      ownerId: program.merchantId,
      action: 'invite.created',
      resourceId: invite.id,
      after: { programId, isPublic, usageLimit, trackingCode, skipOnboarding, expiresAt },
      hidden: [...(email === undefined ? [] : ['email']), ...(name === undefined ? [] : ['name'])],
    });
    return toInvite(invite, inviteStatusOf(invite, program.status, now));
  });

const requestMail = (ctx: Context, { id: inviteId, programId, merchantId }: Invite): Promise<void> =>
  emitInternal(ctx, { type: 'invite.mailed', inviteId, programId, merchantId });

/**
 * Mails an affiliate whom the merchant added a link with which they join with a key of their own; the second time as a reminder.
 * ALREADY_MEMBER when they did. An invite that they can still claim is used again.
 */
export const inviteAffiliate = (ctx: Context, { id }: { id: string }): Promise<InviteView> =>
  inTransaction(ctx, async (ctx) => {
    const { programId, status, email, hasJoined } = await getInvitee(ctx, id);
    const program = await readOwnedProgram(ctx, programId);
    if (hasJoined) throw conflict('ALREADY_MEMBER', 'The affiliate has joined with a key of their own');
    if (status === 'blocked') throw conflict('AFFILIATE_BLOCKED', 'The affiliate is blocked');
    if (program.status !== 'active') throw conflict('PROGRAM_INACTIVE', 'The program is paused or archived');
    await lockInvites(ctx, programId);
    const open = await findOpenInvite(ctx, { programId, email });
    if (!open) return createInvite(ctx, { programId, email, skipOnboarding: true, sendMail: true });
    await requestMail(ctx, open);
    return toInvite(open, inviteStatusOf(open, program.status, ctx.clock.now()));
  });

const reserve = (ctx: Context, code: string, until: Date): Promise<string> =>
  allotMembership(ctx, code, { until, field: 'trackingCode' });

const assertBelowLimit = async (ctx: Context, programId: string): Promise<void> => {
  if ((await lockInviteCount(ctx, programId)) < MAX_OPEN_INVITES_PER_PROGRAM) return;
  throw conflict('TOO_MANY_INVITES', 'The program has the maximum number of invites that can be claimed', {
    limit: MAX_OPEN_INVITES_PER_PROGRAM,
  });
};

/** How many people may claim an invite. Only a public one without a tracking code has more than one use. */
const usageLimitOf = ({ email, isPublic = false, usageLimit, trackingCode }: CreateInviteInput): number => {
  if (email !== undefined && isPublic) throw invalidField('email', 'is not allowed for a public invite');
  const limit = usageLimit ?? (isPublic && trackingCode === undefined ? MAX_INVITE_USES : 1);
  if (limit > 1 && !isPublic) throw invalidField('usageLimit', 'must be 1 unless isPublic is true');
  if (limit > 1 && trackingCode !== undefined) throw invalidField('usageLimit', 'must be 1 with a trackingCode');
  return limit;
};

const TOKEN_BYTES = 20;

/** 160 random bits: an invite is found by its token only. Letters and digits survive in links of every mail program. */
const generateToken = (): string => `inv_${randomBytes(TOKEN_BYTES).toString('hex')}`;

/** Ends an invite, and the reservation of its tracking code. Who claimed it before keeps what they have. A second call changes nothing. */
export const revokeInvite = (ctx: Context, { id }: { id: string }): Promise<InviteView> =>
  inTransaction(ctx, async (ctx) => {
    const invite = await lockOwned(ctx, 'Invite', Invite, { id });
    const program = await readOwnedProgram(ctx, invite.programId);
    const now = ctx.clock.now();
    const { trackingCode: code, codeHolderId: holderId } = invite;
    const isRevoked = invite.revoke(now);
    if (isRevoked && code && holderId) await endReservation(ctx, { code, holderId });
    if (isRevoked) {
      const { merchantId: ownerId, programId } = invite;
      await recordChange(ctx, { ownerId, action: 'invite.revoked', resourceId: id, before: { programId } });
    }
    return toInvite(invite, inviteStatusOf(invite, program.status, now));
  });
