import type { InviteStatus } from '../../../contracts/invites.ts';
import type { AcceptedTerms } from '../../../contracts/joining.ts';
import { type Context, inTransaction, profileOf } from '../../../platform/context.ts';
import { type AppError, conflict, invariant, notFound } from '../../../platform/errors.ts';
import { inviteStatusOf, lockInvite } from '../../invites/index.ts';
import { findProgram } from '../../programs/index.ts';
import { findClaim, getClaimant } from '../claimant.steps.ts';
import { type ClaimResultView, type JoinResultView, toClaimResult, toJoinResult } from '../joining.wire.ts';
import { acceptTerms, readProgramToJoin } from '../program-to-join.queries.ts';
import { submitApplication } from '../submit-application.steps.ts';

/** Applies to a program of the marketplace. NOT_FOUND as if it did not exist, unless it takes applications. */
export const applyToProgram = (
  ctx: Context,
  input: { programId: string; message?: string | undefined },
): Promise<JoinResultView> =>
  inTransaction(ctx, async (ctx) => {
    const program = await findProgram(ctx, input.programId);
    const isOpen = program?.status === 'active' && program.marketplaceStatus === 'public' && program.applicationAccess === 'open';
    if (!program || !isOpen) throw notFound('Program');
    const message = input.message || undefined;
    const submitted = await submitApplication(ctx, { program, profileId: profileOf(ctx), source: 'api', message });
    return toJoinResult(submitted, { programId: program.id, message });
  });

/**
 * Joins the program of an invite. Claiming again what is pending or approved returns the same application. An invite counts
 * people: who claimed it before takes no further use.
 */
export const claimInvite = (ctx: Context, { token }: { token: string }): Promise<ClaimResultView> => claim(ctx, token);

/** As `claimInvite`, by a person who accepts the terms that they were shown. TERMS_CHANGED for other terms than those of now. */
export const acceptInvite = (ctx: Context, { token, termsVersion }: { token: string; termsVersion: string }) =>
  claim(ctx, token, async (ctx, programId) => {
    const { view, terms } = await readProgramToJoin(ctx, { programId });
    return acceptTerms(ctx, terms, view.termsVersion, termsVersion);
  });

/** `accept` is asked when the invite makes somebody a member. */
const claim = (
  ctx: Context,
  token: string,
  accept?: (ctx: Context, programId: string) => Promise<AcceptedTerms>,
): Promise<ClaimResultView> =>
  inTransaction(ctx, async (ctx) => {
    const invite = await lockInvite(ctx, token);
    const { id: inviteId, programId } = invite;
    const program = await findProgram(ctx, programId);
    invariant(program, 'programs are never deleted');
    const { id: profileId, email } = await getClaimant(ctx, program);
    const earlier = await findClaim(ctx, { inviteId, programId, profileId });
    if (earlier?.status) return toClaimResult({ ...earlier, status: earlier.status }, programId);
    if (invite.email && invite.email !== email) {
      throw conflict('INVITE_EMAIL_MISMATCH', 'This invite is for another email address');
    }
    const usageCount = invite.usageCount - (earlier ? 1 : 0);
    const status = inviteStatusOf({ ...invite, usageCount }, program.status, ctx.clock.now());
    if (status !== 'open') throw notOpen(status);
    const submitted = await submitApplication(ctx, {
      program,
      profileId,
      source: 'invite',
      inviteId,
      requestedCode: invite.trackingCode ?? undefined,
      codeHolderId: earlier?.affiliateId ?? invite.codeHolderId ?? undefined,
      skipReview: invite.skipOnboarding,
      acceptedTerms: await accept?.(ctx, programId),
    });
    if (!earlier) invite.use();
    return toClaimResult(submitted, programId);
  });

/** Why an invite can not be claimed. */
export const notOpen = (status: Exclude<InviteStatus, 'open'>): AppError => {
  switch (status) {
    case 'used_up':
      return conflict('INVITE_USED_UP', 'This invite has been claimed as often as it can be');
    case 'expired':
      return conflict('INVITE_EXPIRED', 'This invite has expired');
    case 'program_inactive':
      return conflict('PROGRAM_INACTIVE', 'The program is paused or archived');
  }
};
