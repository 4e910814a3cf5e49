import { type Context, merchantOf } from '../../platform/context.ts';
import { lockName } from '../../platform/database/lock-name.ts';
import { firstRow, rows, sql } from '../../platform/database/sql.ts';
import { invariant } from '../../platform/errors.ts';
import { getProgramOf } from '../programs/index.ts';
import { type CouponView, type StoredCoupon, toCoupon } from './coupons.wire.ts';

/**
 * The coupons of a program, newest first. Not paged: there are at most `MAX_COUPONS_PER_PROGRAM`. NOT_FOUND and FORBIDDEN as
 * for the program itself.
 */
export const listCoupons = async (ctx: Context, programId: string): Promise<CouponView[]> => {
  await getProgramOf(ctx, programId, merchantOf(ctx));
  const found = await rows(
    ctx.em,
    sql<StoredCoupon>`
      select id, code, affiliate_id as "affiliateId", program_id as "programId", expires_at as "expiresAt", created_at as "createdAt"
      from coupon where program_id = ${programId}::uuid and deleted_at is null order by created_at desc, id desc`,
  );
  return found.map(toCoupon);
};

/** Coupons of the program that are not deleted, counted under a lock: until the transaction ends, no other one counts them. */
export const lockCouponCount = async (ctx: Context, programId: string): Promise<number> => {
  await lockName(ctx, `coupons:${programId}`);
  const counted = await firstRow(
    ctx.em,
    sql<{
      count: number;
    }>`select count(*)::int as count from coupon where program_id = ${programId}::uuid and deleted_at is null`,
  );
  invariant(counted, 'a count has one row');
  return counted.count;
};

/**
 * The coupon with this code, in any case, that was valid at that time: created by then, neither expired nor deleted. Null when
 * there is none.
 */
export const findCoupon = (
  ctx: Context,
  programId: string,
  code: string,
  at: Date,
): Promise<{ id: string; affiliateId: string } | null> => {
  const time = at.toISOString();
  return firstRow(
    ctx.em,
    sql<{ id: string; affiliateId: string }>`
      select id, affiliate_id as "affiliateId" from coupon
      where program_id = ${programId}::uuid and lower(code) = lower(${code}) and created_at <= ${time}::timestamptz
        and (expires_at is null or expires_at > ${time}::timestamptz) and (deleted_at is null or deleted_at > ${time}::timestamptz)
      order by created_at desc limit 1`,
  );
};
