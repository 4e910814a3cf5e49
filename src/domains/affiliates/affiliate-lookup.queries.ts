import type { AffiliateStatus } from '../../contracts/affiliates.ts';
import { type Context, profileOf } from '../../platform/context.ts';
import { lockName, sharedLockOfName } from '../../platform/database/lock-name.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import { forbidden, invariant, notFound } from '../../platform/errors.ts';
import { readOwned } from '../../platform/ownership.ts';

/** The fields of an affiliate that other domains use. */
export interface AffiliateRecord {
  id: string;
  programId: string;
  merchantId: string;
  profileId: string;
  status: AffiliateStatus;
  code: string;
}

const columns = sql`
  a.id, a.program_id as "programId", a.merchant_id as "merchantId", a.profile_id as "profileId", a.status, a.code`;

export const findAffiliate = (ctx: Context, id: string): Promise<AffiliateRecord | null> =>
  firstRow(ctx.em, sql<AffiliateRecord>`select ${columns} from affiliate a where a.id = ${id}::uuid`);

export const readOwnedAffiliate = async (ctx: Context, id: string): Promise<AffiliateRecord> =>
  readOwned(ctx, 'Affiliate', await findAffiliate(ctx, id));

/** The caller's own. NOT_FOUND for a missing program, FORBIDDEN for one that the caller has not joined. */
export const getOwnAffiliate = async (ctx: Context, programId: string): Promise<AffiliateRecord> => {
  const affiliate = await firstRow(
    ctx.em,
    sql<AffiliateRecord>`select ${columns} from affiliate a
      where a.profile_id = ${profileOf(ctx)}::uuid and a.program_id = ${programId}::uuid`,
  );
  if (affiliate) return affiliate;
  const program = await firstRow(ctx.em, sql`select 1 from program where id = ${programId}::uuid`);
  throw program ? forbidden('You are not an affiliate of this program') : notFound('Program');
};

export interface LockedMembership {
  status: AffiliateStatus;
  joinedAt: Date;
  /** Replaces the program's percent; null: the program's applies. */
  commissionPercent: number | null;
}

/** The name of the lock that gives whoever changes a membership their turn among the sales that share it. Taken before the row. */
export const membershipTurn = (id: string): string => `affiliate:${id}`;

/**
 * What decides on a conversion, under a shared lock until the transaction ends: a block waits, other sales do not. Who changes
 * the membership takes the lock for `change` at first: two that share it cannot both get more. Take this lock before the balance's.
 */
export const lockMembership = async (
  ctx: Context,
  id: string,
  purpose: 'read' | 'change' = 'read',
): Promise<LockedMembership> => {
  if (purpose === 'change') await lockName(ctx, membershipTurn(id));
  const row = await firstRow(
    ctx.em,
    sql<Omit<LockedMembership, 'joinedAt'> & { joinedAt: string }>`
      select ${purpose === 'read' ? sql`${sharedLockOfName(membershipTurn(id))}, ` : sql``}
        status, created_at as "joinedAt", commission_percent::float8 as "commissionPercent"
      from affiliate where id = ${id}::uuid ${purpose === 'read' ? sql`for share` : sql`for no key update`}`,
  );
  invariant(row, 'affiliates are never deleted');
  return { ...row, joinedAt: new Date(row.joinedAt) };
};

/** Throws 404 when there is no such affiliate profile. */
export const assertAffiliateProfileExists = async (ctx: Context, profileId: string): Promise<void> => {
  const found = await firstRow(ctx.em, sql`select 1 from affiliate_profile where id = ${profileId}::uuid`);
  if (!found) throw notFound('Affiliate profile');
};
