import { type Operation, operation } from '../../platform/http/operation.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { adjustmentExample, createAdjustmentExample } from './adjustments.examples.ts';
import { listAdjustments } from './adjustments.queries.ts';
import { adjustmentSchema, adjustmentsQuery, createAdjustmentBody } from './adjustments.wire.ts';
import { createAdjustment } from './use-cases/create-adjustment.ts';

const adjustments = {
  tag: 'Affiliates',
  path: '/affiliates/{id}/adjustments',
  params: idParams,
  reply: adjustmentSchema,
} as const;

export const adjustmentRoutes: Operation[] = [
  operation({
    id: 'listAdjustments',
    method: 'GET',
    ...adjustments,
    access: { keys: ['merchant'], scope: 'payouts:read' },
    summary: 'List adjustments of an affiliate',
    description:
      'Returns what was adjusted through the API, newest first. Deductions for refunds after a payout are not included.',
    query: adjustmentsQuery,
    paged: true,
    example: { data: [adjustmentExample] },
    handle: ({ ctx, params, query }) => listAdjustments(ctx, params.id, query),
  }),
  operation({
    id: 'createAdjustment',
    method: 'POST',
    ...adjustments,
    access: { keys: ['merchant'], scope: 'payouts:write' },
    summary: 'Adjust the balance of an affiliate',
    description:
      'Changes the payable balance in the currency of the program, for blocked affiliates too. The next payout includes the adjustment. A clawback may exceed the balance: later payouts deduct the rest. At most 1,000 adjustments can be in no payout.',
    body: createAdjustmentBody,
    status: 201,
    reasons: ['TOO_MANY_ADJUSTMENTS'],
    example: { data: adjustmentExample, body: createAdjustmentExample },
    handle: ({ ctx, params, body }) => createAdjustment(ctx, { affiliateId: params.id, ...body }),
  }),
];
