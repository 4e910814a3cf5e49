import type { AffiliateStatus } from '../../contracts/affiliates.ts';
import type { ApplicationStatus } from '../../contracts/applications.ts';
import type { ClaimStatus } from '../../contracts/joining.ts';
import { type Context, callerOf } from '../../platform/context.ts';
import { firstRow } from '../../platform/database/sql.ts';
import { conflict, invariant } from '../../platform/errors.ts';
import { findOrCreateProfile } from '../affiliates/index.ts';
import type { ProgramRecord } from '../programs/index.ts';
import { db } from '../tables.ts';

/** Whoever claims an invite. */
export interface Claimant {
  id: string;
  /** Lower case. */
  email: string;
}

/** The person of an affiliate key, or the profile with the merchant's email address. OWN_PROGRAM for the program's merchant. */
export const getClaimant = async (ctx: Context, program: ProgramRecord): Promise<Claimant> => {
  const { keyType, ownerId } = callerOf(ctx);
  if (keyType === 'affiliate') return getPerson(ctx, ownerId);
  if (ownerId === program.merchantId) throw conflict('OWN_PROGRAM', 'A merchant cannot join their own program');
  return findOrCreateProfile(ctx, await getContact(ctx, ownerId));
};

const getPerson = async (ctx: Context, profileId: string): Promise<Claimant> => {
  const person = await firstRow(ctx.em, db.selectFrom('affiliate_profile').select(['id', 'email']).where('id', '=', profileId));
  invariant(person, 'an affiliate key belongs to a profile');
  return person;
};

const getContact = async (ctx: Context, merchantId: string): Promise<{ email: string; name: string }> => {
  const contact = await firstRow(
    ctx.em,
    db.selectFrom('merchant').select(['email', 'companyName as name']).where('id', '=', merchantId),
  );
  invariant(contact, 'a merchant key belongs to a merchant');
  return contact;
};

export interface Claim {
  applicationId: string;
  affiliateId: string;
  /** Null when the application ended without a membership, or the membership is blocked. */
  status: ClaimStatus | null;
}

/** The person's latest application with an invite; null when they never claimed it. */
export const findClaim = async (
  ctx: Context,
  { inviteId, programId, profileId }: { inviteId: string; programId: string; profileId: string },
): Promise<Claim | null> => {
  const row = await firstRow(
    ctx.em,
    db
      .selectFrom('application as l')
      .leftJoin('affiliate as a', 'a.id', 'l.affiliateId')
      .select(['l.id as applicationId', 'l.affiliateId', 'l.status', 'l.decidedBy', 'a.status as membership'])
      .where('l.profileId', '=', profileId)
      .where('l.programId', '=', programId)
      .where('l.inviteId', '=', inviteId)
      .orderBy('l.createdAt', 'desc')
      .orderBy('l.id', 'desc')
      .limit(1),
  );
  return row && { applicationId: row.applicationId, affiliateId: row.affiliateId, status: claimStatusOf(row) };
};

interface ClaimRow {
  status: ApplicationStatus;
  decidedBy: string | null;
  membership: AffiliateStatus | null;
}

const claimStatusOf = ({ status, decidedBy, membership }: ClaimRow): ClaimStatus | null => {
  if (status === 'pending') return 'pending';
  if (status !== 'approved' || membership !== 'approved') return null;
  return decidedBy === null ? 'auto_approved' : 'approved';
};
