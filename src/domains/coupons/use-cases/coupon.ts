import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { MAX_COUPONS_PER_PROGRAM } from '../../../contracts/limits.ts';
import { recordChange } from '../../../platform/audit-log/record-change.ts';
import { type Context, inTransaction, merchantOf } from '../../../platform/context.ts';
import { flushPending } from '../../../platform/database/sql.ts';
import { conflict, invalidField } from '../../../platform/errors.ts';
import { lockOwned } from '../../../platform/ownership.ts';
import { readOwnedAffiliate } from '../../affiliates/index.ts';
import { readOwnedProgram } from '../../programs/index.ts';
import { Coupon } from '../coupon.entity.ts';
import { lockCouponCount } from '../coupons.queries.ts';

export interface CreateCouponInput {
  programId: string;
  affiliateId: string;
  code: string;
  /** ISO 8601. */
  expiresAt?: string | null | undefined;
}

/** Creates a coupon. Its code is unique in the program, in any case, until it is deleted. */
export const createCoupon = (ctx: Context, input: CreateCouponInput): Promise<Coupon> =>
  inTransaction(ctx, async (ctx) => {
    const merchantId = merchantOf(ctx);
    await readOwnedProgram(ctx, input.programId);
    await assertMember(ctx, input);
    const now = ctx.clock.now();
    const expiresAt = input.expiresAt ? new Date(input.expiresAt) : null;
    if (expiresAt && expiresAt <= now) throw invalidField('expiresAt', 'must be in the future');
    await assertBelowLimit(ctx, input.programId);
    const { programId, affiliateId, code } = input;
    const coupon = ctx.em.create(Coupon, {
      id: ctx.ids.next(),
      merchantId,
      programId,
      affiliateId,
      code,
      expiresAt,
      createdAt: now,
    });
    await saveCoupon(ctx, coupon);
    await recordChange(ctx, {
      ownerId: merchantId,
      action: 'coupon.created',
      resourceId: coupon.id,
      after: { programId, affiliateId, code, expiresAt },
    });
    return coupon;
  });

const assertMember = async (ctx: Context, { affiliateId, programId }: CreateCouponInput): Promise<void> => {
  const affiliate = await readOwnedAffiliate(ctx, affiliateId);
  if (affiliate.programId !== programId) throw invalidField('affiliateId', 'is not a member of this program');
  if (affiliate.status === 'blocked') throw conflict('AFFILIATE_BLOCKED', 'The affiliate is blocked');
};

const assertBelowLimit = async (ctx: Context, programId: string): Promise<void> => {
  if ((await lockCouponCount(ctx, programId)) < MAX_COUPONS_PER_PROGRAM) return;
  throw conflict('TOO_MANY_COUPONS', 'The program has the maximum number of coupons. Delete one before creating another', {
    limit: MAX_COUPONS_PER_PROGRAM,
  });
};

const saveCoupon = async (ctx: Context, { code }: Coupon): Promise<void> => {
  try {
    await flushPending(ctx.em);
  } catch (error) {
    if (!(error instanceof UniqueConstraintViolationException)) throw error;
    throw conflict('CODE_TAKEN', 'Another coupon of this program has this code', { code });
  }
};

/** Sales made before the deletion are still credited by the coupon, whenever they are reported. */
export const deleteCoupon = (ctx: Context, input: { id: string }): Promise<Coupon> =>
  inTransaction(ctx, async (ctx) => {
    const coupon = await lockOwned(ctx, 'Coupon', Coupon, { id: input.id, deletedAt: null });
    coupon.delete(ctx.clock.now());
    const { id: resourceId, merchantId: ownerId, programId, affiliateId, code } = coupon;
    await recordChange(ctx, { ownerId, action: 'coupon.deleted', resourceId, before: { programId, affiliateId, code } });
    return coupon;
  });
