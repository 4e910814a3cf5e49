import type { AffiliateStatus, PayoutMethod } from '../../contracts/affiliates.ts';
import type { PayoutDetails } from '../../contracts/payouts.ts';
import type { Context } from '../../platform/context.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import { notFound } from '../../platform/errors.ts';
import { payableBy, payoutDetailsContext } from './payout-details.ts';

/** What other rooms need to know of a membership. */
export interface AffiliateRecord {
  id: string;
  programId: string;
  merchantId: string;
  profileId: string;
  status: AffiliateStatus;
  code: string;
}

const factColumns = sql`
  a.id, a.program_id as "programId", a.merchant_id as "merchantId", a.profile_id as "profileId", a.status, a.code`;

export const findAffiliate = (ctx: Context, id: string): Promise<AffiliateRecord | null> =>
  firstRow(ctx.em, sql<AffiliateRecord>`select ${factColumns} from affiliate a where a.id = ${id}::uuid`);

/** The membership behind a code, in any case; null when the code is unknown or belongs to another program. */
export const findAffiliateByCode = (ctx: Context, programId: string, code: string): Promise<AffiliateRecord | null> =>
  firstRow(
    ctx.em,
    sql<AffiliateRecord>`select ${factColumns} from referral_code r join affiliate a on a.id = r.affiliate_id
      where r.code = ${code.toLowerCase()} and a.program_id = ${programId}::uuid`,
  );

/**
 * Where a person is paid, by the given method or else by their own choice; null when what that needs is missing.
 */
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
  if (!row || row.ciphertext === null) return null;
  const details = JSON.parse(ctx.cipher.decrypt(row.ciphertext, payoutDetailsContext(input.profileId))) as PayoutDetails;
  return payableBy(details, input.method ?? details.method);
};

/** Throws 404 when there is no such affiliate profile. */
export const assertAffiliateProfileExists = async (ctx: Context, profileId: string): Promise<void> => {
  const found = await firstRow(ctx.em, sql`select 1 from affiliate_profile where id = ${profileId}::uuid`);
  if (!found) throw notFound('Affiliate profile');
};
