import type { AffiliateStatus } from '../../contracts/affiliates.ts';
import type { ApplicationStatus } from '../../contracts/applications.ts';
import type { ClaimStatus } from '../../contracts/joining.ts';
import type { Context } from '../../platform/context.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';

interface ClaimRow {
  applicationId: string;
  affiliateId: string;
  status: ApplicationStatus;
  isByPerson: boolean;
  membership: AffiliateStatus | null;
}

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
    sql<ClaimRow>`select l.id as "applicationId", l.affiliate_id as "affiliateId", l.status,
        l.decided_by is not null as "isByPerson", a.status as membership
      from application l left join affiliate a on a.id = l.affiliate_id
      where l.profile_id = ${profileId}::uuid and l.program_id = ${programId}::uuid and l.invite_id = ${inviteId}::uuid
      order by l.created_at desc, l.id desc limit 1`,
  );
  return row && { applicationId: row.applicationId, affiliateId: row.affiliateId, status: claimStatusOf(row) };
};

const claimStatusOf = ({ status, isByPerson, membership }: ClaimRow): ClaimStatus | null => {
  if (status === 'pending') return 'pending';
  if (status !== 'approved' || membership !== 'approved') return null;
  return isByPerson ? 'approved' : 'auto_approved';
};
