import { after, SECOND_MS, wholeSecond } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { compileOnce, type Given, givenOf } from '../../platform/database/compiled.ts';
import { lockName } from '../../platform/database/lock-name.ts';
import { firstRow, rows, sql } from '../../platform/database/sql.ts';
import { anyOf } from '../../platform/database/table.ts';
import { invariant } from '../../platform/errors.ts';
import { readOwnedProgram } from '../programs/index.ts';
import { db } from '../tables.ts';
import { type CouponView, toCoupon } from './coupons.wire.ts';

const couponsOf = compileOnce(({ programId }: Given<{ programId: string }>) =>
  db
    .selectFrom('coupon')
    .select(['id', 'code', 'affiliateId', 'programId', 'expiresAt', 'createdAt'])
    .where('programId', '=', programId)
    .where('deletedAt', 'is', null)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc'),
);

/**
 * The coupons of a program, newest first. Not paged: there are at most `MAX_COUPONS_PER_PROGRAM`. NOT_FOUND and FORBIDDEN as
 * for the program itself.
 */
export const listCoupons = async (ctx: Context, programId: string): Promise<CouponView[]> => {
  await readOwnedProgram(ctx, programId);
  const found = await rows(ctx.em, couponsOf({ programId }));
  return found.map(toCoupon);
};

/** Coupons of the program that are not deleted, counted under a lock: until the transaction ends, no other one counts them. */
export const lockCouponCount = async (ctx: Context, programId: string): Promise<number> => {
  await lockName(ctx, `coupons:${programId}`);
  const counted = await firstRow(
    ctx.em,
    db
      .selectFrom('coupon')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('programId', '=', programId)
      .where('deletedAt', 'is', null),
  );
  invariant(counted, 'a count has one row');
  return counted.count;
};

type At = { at: string; endOfSecond: string };

const valuesAt = (at: Date): At => ({ at: at.toISOString(), endOfSecond: after(wholeSecond(at), SECOND_MS).toISOString() });

const couponsAt = ({ at, endOfSecond }: Given<At>) =>
  db
    .selectFrom('coupon')
    .where('createdAt', '<', endOfSecond)
    .where(({ eb, or }) => or([eb('expiresAt', 'is', null), eb('expiresAt', '>', at)]))
    .where(({ eb, or }) => or([eb('deletedAt', 'is', null), eb('deletedAt', '>', at)]));

const validCoupon = compileOnce(({ programId, code, ...at }: Given<{ programId: string; code: string } & At>) =>
  couponsAt(at)
    .select(['id', 'affiliateId'])
    .where('programId', '=', programId)
    .where(sql<boolean>`lower(code) = lower(${code})`)
    .orderBy('createdAt', 'desc')
    .limit(sql.lit(1)),
);

/**
 * The coupon with this code, in any case, that was valid at that time: created by then or in the same second, neither expired nor deleted. Null when
 * there is none.
 */
export const findCoupon = (
  ctx: Context,
  programId: string,
  code: string,
  at: Date,
): Promise<{ id: string; affiliateId: string } | null> => firstRow(ctx.em, validCoupon({ programId, code, ...valuesAt(at) }));

/** As `findCoupon`: which of the programs have a coupon with one of the codes, which are in lower case. */
export const listCouponPrograms = (
  ctx: Context,
  { programIds, codes, at }: { programIds: readonly string[]; codes: readonly string[]; at: Date },
): Promise<{ programId: string; code: string }[]> =>
  rows(
    ctx.em,
    couponsAt(givenOf(valuesAt(at)))
      .select(['programId', sql<string>`lower(code)`.as('code')])
      .where('programId', '=', anyOf(programIds))
      .where(sql<boolean>`lower(code) = ${anyOf(codes)}`)
      .distinct(),
  );
