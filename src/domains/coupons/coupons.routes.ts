import { z } from 'zod';
import { operation } from '../../platform/http/operation.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { couponExample, createdCouponExample } from './coupons.examples.ts';
import { listCoupons } from './coupons.queries.ts';
import { couponSchema, createCouponBody, toCoupon } from './coupons.wire.ts';
import { createCoupon, deleteCoupon } from './use-cases/coupon.ts';

const read = { tag: 'Coupons', access: { keys: ['merchant'], scope: 'programs:read' } } as const;
const write = { tag: 'Coupons', access: { keys: ['merchant'], scope: 'programs:write' } } as const;

export const couponRoutes = [
  operation({
    ...read,
    id: 'listCoupons',
    method: 'GET',
    path: '/programs/{id}/coupons',
    summary: 'List coupons of a program',
    description: 'Returns all coupons of the program, newest first, without pagination. Expired coupons are included.',
    params: idParams,
    reply: z.array(couponSchema),
    example: { data: [couponExample] },
    handle: ({ ctx, params }) => listCoupons(ctx, params.id),
  }),
  operation({
    ...write,
    id: 'createCoupon',
    method: 'POST',
    path: '/programs/{id}/coupons',
    summary: 'Create a coupon',
    description:
      'Sales that name the coupon are credited to its affiliate, before any click. Codes are unique per program, in any case. At most 5,000 coupons per program.',
    params: idParams,
    body: createCouponBody,
    reply: couponSchema,
    status: 201,
    reasons: ['AFFILIATE_BLOCKED', 'CODE_TAKEN', 'TOO_MANY_COUPONS'],
    example: createdCouponExample,
    handle: async ({ ctx, params, body }) => toCoupon(await createCoupon(ctx, { ...body, programId: params.id })),
  }),
  operation({
    ...write,
    id: 'deleteCoupon',
    method: 'DELETE',
    path: '/coupons/{id}',
    summary: 'Delete a coupon',
    description: 'Later sales are not credited by it; sales made before still are. The code can be used for another coupon.',
    params: idParams,
    reply: couponSchema,
    example: { data: couponExample },
    handle: async ({ ctx, params }) => toCoupon(await deleteCoupon(ctx, { id: params.id })),
  }),
];
