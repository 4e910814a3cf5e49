import type { AffiliateStatus } from '../../contracts/affiliates.ts';
import { type Context, onlyMerchantOf, profileOf } from '../../platform/context.ts';
import { compileOnce, type Given } from '../../platform/database/compiled.ts';
import { lockName, sharedLockOfName } from '../../platform/database/lock-name.ts';
import { type Expression, firstRow } from '../../platform/database/sql.ts';
import { forbidden, invariant, notFound } from '../../platform/errors.ts';
import { readOwned } from '../../platform/ownership.ts';
import { db } from '../tables.ts';

/** The fields of an affiliate that other domains use. */
export interface AffiliateRecord {
  id: string;
  programId: string;
  merchantId: string;
  profileId: string;
  status: AffiliateStatus;
  code: string;
}

const affiliates = () => db.selectFrom('affiliate').select(['id', 'programId', 'merchantId', 'profileId', 'status', 'code']);

const affiliateById = compileOnce(({ id }: Given<{ id: string }>) => affiliates().where('id', '=', id));

export const findAffiliate = (ctx: Context, id: string): Promise<AffiliateRecord | null> =>
  firstRow(ctx.em, affiliateById({ id }));

export const readOwnedAffiliate = async (ctx: Context, id: string): Promise<AffiliateRecord> =>
  readOwned(ctx, 'Affiliate', await findAffiliate(ctx, id));

/** The caller's own. NOT_FOUND for a missing program, FORBIDDEN for one that the caller has not joined. */
export const getOwnAffiliate = async (ctx: Context, programId: string): Promise<AffiliateRecord> => {
  const only = onlyMerchantOf(ctx);
  const own = affiliates().where('profileId', '=', profileOf(ctx)).where('programId', '=', programId);
  const affiliate = await firstRow(ctx.em, only === undefined ? own : own.where('merchantId', '=', only));
  if (affiliate) return affiliate;
  const program = await firstRow(ctx.em, db.selectFrom('program').select('id').where('id', '=', programId));
  throw program ? forbidden('You are not an affiliate of this program') : notFound('Program');
};

export interface LockedMembership {
  status: AffiliateStatus;
  /** The person was erased. */
  isErased: boolean;
  joinedAt: Date;
  /** Replaces the program's percent; null: the program's applies. */
  commissionPercent: number | null;
}

/** The lock that gives whoever changes a membership their turn among the sales that share it. Taken before the row. */
export const membershipLockName = (id: string): string => `affiliate:${id}`;

const memberships = (id: Expression<string>) =>
  db.selectFrom('affiliate').select(['status', 'erasedAt', 'createdAt as joinedAt', 'commissionPercent']).where('id', '=', id);

const sharedMembership = compileOnce(({ id, name }: Given<{ id: string; name: string }>) =>
  memberships(id).select(sharedLockOfName(name).as('lock')).forShare(),
);

const changedMembership = compileOnce(({ id }: Given<{ id: string }>) => memberships(id).forNoKeyUpdate());

/**
 * What decides on a conversion, under a shared lock until the transaction ends: a block waits, other sales do not. Who changes
 * the membership takes the lock for `change` at first: two that share it cannot both get more. Take this lock before the balance's.
 */
export const lockMembership = async (
  ctx: Context,
  id: string,
  purpose: 'read' | 'change' = 'read',
): Promise<LockedMembership> => {
  const name = membershipLockName(id);
  if (purpose === 'change') await lockName(ctx, name);
  const row = await firstRow(ctx.em, purpose === 'read' ? sharedMembership({ id, name }) : changedMembership({ id }));
  invariant(row, 'affiliates are never deleted');
  const { status, erasedAt, joinedAt, commissionPercent } = row;
  return { status, isErased: erasedAt !== null, joinedAt: new Date(joinedAt), commissionPercent };
};

/** Throws 404 when there is no such affiliate profile. */
export const assertAffiliateProfileExists = async (ctx: Context, profileId: string): Promise<void> => {
  const found = await firstRow(ctx.em, db.selectFrom('affiliate_profile').select('id').where('id', '=', profileId));
  if (!found) throw notFound('Affiliate profile');
};

/** NOT_FOUND for a profile that does not exist or was erased. */
export const getProfileEmail = async (ctx: Context, profileId: string): Promise<string> => {
  const row = await firstRow(
    ctx.em,
    db.selectFrom('affiliate_profile').select('email').where('id', '=', profileId).where('erasedAt', 'is', null),
  );
  if (!row) throw notFound('Affiliate profile');
  return row.email;
};
