import { operation } from '../../../platform/http/operation.ts';
import { idParams } from '../../../platform/http/schemas.ts';
import { createAdjustment } from '../use-cases/create-adjustment.ts';
import { approveAdjustment, cancelAdjustment } from '../use-cases/decide-adjustment.ts';
import { listAdjustments } from './adjustments.queries.ts';
import { type AdjustmentView, adjustmentSchema, adjustmentsQuery, createAdjustmentBody } from './adjustments.wire.ts';

const createAdjustmentExample = { amount: 5_000, kind: 'bonus', note: 'Ten sales in January' };

const adjustmentExample: AdjustmentView = {
  id: '0198f1c2-ad10-7c44-8a21-9f3b7c6d5e01',
  affiliateId: '0198f1c2-9c20-7e13-a4d5-66b0c3f8d927',
  programId: '0198f1c2-8b10-7d02-8f3e-51c9a7e2b604',
  amount: 5_000,
  currency: 'usd',
  kind: 'bonus',
  status: 'booked',
  note: 'Ten sales in January',
  payoutId: null,
  createdBy: 'key:0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e11',
  createdAt: '2026-02-01T08:00:00.000Z',
  approvedBy: null,
  approvedAt: null,
};

const adjustments = {
  tag: 'Affiliates',
  path: '/affiliates/{id}/adjustments',
  params: idParams,
  reply: adjustmentSchema,
} as const;

const approvedExample: AdjustmentView = {
  ...adjustmentExample,
  approvedBy: 'key:0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e12',
  approvedAt: '2026-02-01T10:00:00.000Z',
};

const decision = {
  tag: 'Affiliates',
  params: idParams,
  access: { keys: ['merchant'], scope: 'payouts:write' },
  reply: adjustmentSchema,
  errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
} as const;

export const adjustmentRoutes = [
  operation({
    id: 'listAdjustments',
    method: 'GET',
    ...adjustments,
    access: { keys: ['merchant'], scope: 'payouts:read' },
    summary: 'List adjustments of an affiliate',
    description:
      'Returns what was adjusted through the API, newest first, with what waits for approval or was refused. Deductions for refunds after a payout are not included.',
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
      'Changes the payable balance in the currency of the program, for blocked affiliates too. The next payout includes the adjustment. A clawback may exceed the balance: later payouts deduct the rest. At most 1,000 adjustments can be in no payout. From `payoutApprovalThreshold` of the merchant on, in either direction, its status is `awaiting_approval` and nothing changes before `POST /adjustments/{id}/approve`.',
    body: createAdjustmentBody,
    status: 201,
    reasons: ['TOO_MANY_ADJUSTMENTS'],
    example: { data: adjustmentExample, body: createAdjustmentExample },
    handle: ({ ctx, params, body }) => createAdjustment(ctx, { affiliateId: params.id, ...body }),
  }),
  operation({
    id: 'approveAdjustment',
    method: 'POST',
    path: '/adjustments/{id}/approve',
    freshCheck: 'passkey',
    ...decision,
    summary: 'Approve an adjustment',
    description:
      'For an adjustment with the status `awaiting_approval`: it is booked, and part of the next payout. Not by the person or with a key of the line that created it, with a newer key, or by who is paid.',
    reasons: ['APPROVAL_NOT_REQUIRED', 'ALREADY_DECIDED', 'SAME_ACTOR', 'OTHER_CURRENCY', 'TOO_MANY_ADJUSTMENTS'],
    example: { data: approvedExample },
    handle: ({ ctx, params }) => approveAdjustment(ctx, params),
  }),
  operation({
    id: 'cancelAdjustment',
    method: 'POST',
    path: '/adjustments/{id}/cancel',
    ...decision,
    summary: 'Refuse an adjustment',
    description: 'For an adjustment with the status `awaiting_approval`. Nothing was booked, and nothing is.',
    reasons: ['APPROVAL_NOT_REQUIRED', 'ALREADY_DECIDED'],
    example: { data: { ...adjustmentExample, status: 'cancelled' } },
    handle: ({ ctx, params }) => cancelAdjustment(ctx, params),
  }),
];
