import { MAX_RECENT_APPLICATIONS, REAPPLY_AFTER_MS } from '../../contracts/applications.ts';
import { after } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import { invariant, notFound } from '../../platform/errors.ts';
import { db } from '../tables.ts';
import type { Applicant } from './applications.wire.ts';
import type { Standing } from './reapply.rules.ts';

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
    db
      .selectFrom('affiliate_profile as p')
      .select(['p.userId', 'p.name', 'p.email'])
      .select(({ exists }) =>
        exists(
          db
            .selectFrom('affiliate_profile as o')
            .select('o.id')
            .where(sql<boolean>`o.payout_digests && p.payout_digests`)
            .where('o.id', '<>', sql.ref<string>('p.id')),
        )
          .$castTo<boolean>()
          .as('sharesPayoutDetails'),
      )
      .where('p.id', '=', profileId)
      .where('p.erasedAt', 'is', null)
      .forNoKeyUpdate(),
  );
  if (!applicant) throw notFound('Affiliate profile');
  return applicant;
};

export const getApplicant = async (ctx: Context, profileId: string): Promise<Applicant> => {
  const applicant = await firstRow(
    ctx.em,
    db.selectFrom('affiliate_profile').select(['userId', 'name', 'email']).where('id', '=', profileId),
  );
  invariant(applicant, 'profiles are never deleted');
  return applicant;
};

interface Applying {
  programId: string;
  profileId: string;
}

/**
 * The person's applications to a program, the latest first. The clocks of two processes may differ: what excludes a later application is
 * the latest one.
 */
export const latestApplications = ({ programId, profileId }: Applying) =>
  db
    .selectFrom('application')
    .where('profileId', '=', profileId)
    .where('programId', '=', programId)
    .orderBy(({ eb }) => eb('status', 'in', ['pending', 'blocked']), 'desc')
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(sql.lit(1));

export interface FoundStanding extends Standing {
  affiliateId: string | null;
  applicationId: string | null;
}

/** Call it while holding the applicant's lock. */
export const getStanding = async (ctx: Context, { programId, profileId }: Applying): Promise<FoundStanding> => {
  const since = after(ctx.clock.now(), -REAPPLY_AFTER_MS).toISOString();
  const recent = db
    .selectFrom('application')
    .select(sql`created_at::text`.as('at'))
    .where('profileId', '=', profileId)
    .where('programId', '=', programId)
    .where('createdAt', '>', since)
    .orderBy('createdAt', 'desc')
    .limit(MAX_RECENT_APPLICATIONS);
  const row = await firstRow(
    ctx.em,
    db
      .selectFrom(sql`(select 1)`.as('one'))
      .leftJoin('affiliate as a', (join) => join.on('a.profileId', '=', profileId).on('a.programId', '=', programId))
      .leftJoinLateral(
        latestApplications({ programId, profileId }).select(['id', 'status', 'decidedAt', 'decidedBy']).as('l'),
        (join) => join.onTrue(),
      )
      .select([
        'a.id as affiliateId',
        'a.status as membership',
        'l.id as applicationId',
        'l.status',
        'l.decidedAt',
        'l.decidedBy',
      ])
      .select(sql<string[]>`array${recent}`.as('recent')),
  );
  invariant(row, 'a left join of one row has a row');
  const { affiliateId, membership, applicationId, status, decidedAt, decidedBy } = row;
  const latest = status && { status, decidedAt, decidedBy };
  return { affiliateId, membership, applicationId, latest, recent: row.recent.map((time) => new Date(time)) };
};
