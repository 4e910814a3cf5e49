import type { AffiliateStatus } from '../../contracts/affiliates.ts';
import type { ApplicationStatus } from '../../contracts/applications.ts';
import { MAX_RECENT_APPLICATIONS, REAPPLY_AFTER_MS } from '../../contracts/applications.ts';
import { after } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import { invariant, notFound } from '../../platform/errors.ts';
import type { Applicant } from './applications.wire.ts';
import type { Standing } from './reapply.ts';

export interface LockedApplicant extends Applicant {
  sharesPayoutDetails: boolean;
}

/**
 * The person, locked until the transaction ends: one person's applications are submitted one after the other. NOT_FOUND when an
 * erasure was faster.
 */
export const lockApplicant = async (ctx: Context, profileId: string): Promise<LockedApplicant> => {
  const applicant = await firstRow(
    ctx.em,
    sql<LockedApplicant>`select p.user_id as "userId", p.name, p.email,
        exists (select 1 from affiliate_profile o where o.payout_digests && p.payout_digests and o.id <> p.id) as "sharesPayoutDetails"
      from affiliate_profile p where p.id = ${profileId}::uuid and p.erased_at is null for no key update`,
  );
  if (!applicant) throw notFound('Affiliate profile');
  return applicant;
};

export const getApplicant = async (ctx: Context, profileId: string): Promise<Applicant> => {
  const applicant = await firstRow(
    ctx.em,
    sql<Applicant>`select user_id as "userId", name, email from affiliate_profile where id = ${profileId}::uuid`,
  );
  invariant(applicant, 'profiles are never deleted');
  return applicant;
};

/** The clocks of two processes may differ: what excludes a later application is the latest one. */
export const LATEST_FIRST = sql`status in ('pending','blocked') desc, created_at desc, id desc`;

interface StandingRow {
  affiliateId: string | null;
  membership: AffiliateStatus | null;
  applicationId: string | null;
  status: ApplicationStatus | null;
  decidedAt: string | null;
  decidedBy: string | null;
  recent: string[];
}

export interface FoundStanding extends Standing {
  affiliateId: string | null;
  applicationId: string | null;
}

/** Call it while holding the applicant's lock. */
export const getStanding = async (
  ctx: Context,
  { programId, profileId }: { programId: string; profileId: string },
): Promise<FoundStanding> => {
  const since = after(ctx.clock.now(), -REAPPLY_AFTER_MS).toISOString();
  const row = await firstRow(
    ctx.em,
    sql<StandingRow>`select a.id as "affiliateId", a.status as membership, l.id as "applicationId", l.status,
        l.decided_at as "decidedAt", l.decided_by as "decidedBy",
        array(select created_at::text from application where profile_id = ${profileId}::uuid and program_id = ${programId}::uuid
          and created_at > ${since}::timestamptz order by created_at desc limit ${MAX_RECENT_APPLICATIONS}) as recent
      from (select 1) as one
      left join affiliate a on a.profile_id = ${profileId}::uuid and a.program_id = ${programId}::uuid
      left join lateral (select id, status, decided_at, decided_by from application
        where profile_id = ${profileId}::uuid and program_id = ${programId}::uuid
        order by ${LATEST_FIRST} limit 1) l on true`,
  );
  invariant(row, 'a left join of one row has a row');
  const { affiliateId, membership, applicationId, status, decidedAt, decidedBy, recent } = row;
  const latest = status && { status, decidedAt, decidedBy };
  return { affiliateId, membership, applicationId, latest, recent: recent.map((time) => new Date(time)) };
};
