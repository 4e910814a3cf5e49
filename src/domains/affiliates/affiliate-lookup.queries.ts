import type { AffiliateStatus, PayoutMethod } from '../../contracts/affiliates.ts';
import type { PayoutDetails } from '../../contracts/payouts.ts';
import type { Context } from '../../platform/context.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import { forbidden, invariant, notFound } from '../../platform/errors.ts';
import { payoutDetailsContext, payoutDetailsFor } from './payout-details.ts';

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

/** NOT_FOUND when it does not exist, FORBIDDEN when it belongs to another merchant. */
export const getAffiliateOf = async (ctx: Context, id: string, merchantId: string): Promise<AffiliateRecord> => {
  const affiliate = await findAffiliate(ctx, id);
  if (!affiliate) throw notFound('Affiliate');
  if (affiliate.merchantId !== merchantId) throw forbidden();
  return affiliate;
};

export interface LockedMembership {
  status: AffiliateStatus;
  joinedAt: Date;
  /** Replaces the program's percent; null: the program's applies. */
  commissionPercent: number | null;
}

/**
 * What decides on a conversion, under a shared lock until the transaction ends: a block waits, other sales do not. Take this
 * lock before the balance's.
 */
export const lockMembership = async (ctx: Context, id: string): Promise<LockedMembership> => {
  const row = await firstRow(
    ctx.em,
    sql<Omit<LockedMembership, 'joinedAt'> & { joinedAt: string }>`
      select status, created_at as "joinedAt", commission_percent::float8 as "commissionPercent"
      from affiliate where id = ${id}::uuid for share`,
  );
  invariant(row, 'affiliates are never deleted');
  return { ...row, joinedAt: new Date(row.joinedAt) };
};

/** Case-insensitive; null when the code is unknown or belongs to another program. */
export const findAffiliateByCode = (ctx: Context, programId: string, code: string): Promise<AffiliateRecord | null> =>
  firstRow(
    ctx.em,
    sql<AffiliateRecord>`select ${columns} from referral_code r join affiliate a on a.id = r.affiliate_id
      where r.code = ${code.toLowerCase()} and a.program_id = ${programId}::uuid`,
  );

/** Payout details for the given method or, by default, the method the person chose; null when a field it needs is missing. */
export const decryptPayoutDetails = async (
  ctx: Context,
  input: { profileId: string; method?: PayoutMethod | undefined },
): Promise<PayoutDetails | null> => {
  const row = await firstRow(
    ctx.em,
    sql<{
      ciphertext: string | null;
    }>`select payout_details as ciphertext from affiliate_profile where id = ${input.profileId}::uuid`,
  );
  return row && openPayoutDetails(ctx, { ...input, ciphertext: row.ciphertext });
};

/** As `decryptPayoutDetails`, for a profile that was read already. */
export const openPayoutDetails = (
  ctx: Context,
  input: { profileId: string; ciphertext: string | null; method?: PayoutMethod | undefined },
): PayoutDetails | null => {
  if (input.ciphertext === null) return null;
  const details = JSON.parse(ctx.cipher.decrypt(input.ciphertext, payoutDetailsContext(input.profileId))) as PayoutDetails;
  return payoutDetailsFor(details, input.method ?? details.method);
};

/** Throws 404 when there is no such affiliate profile. */
export const assertAffiliateProfileExists = async (ctx: Context, profileId: string): Promise<void> => {
  const found = await firstRow(ctx.em, sql`select 1 from affiliate_profile where id = ${profileId}::uuid`);
  if (!found) throw notFound('Affiliate profile');
};
