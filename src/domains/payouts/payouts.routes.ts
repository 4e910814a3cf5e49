import { z } from 'zod';
import { merchantOf } from '../../platform/context.ts';
import { resolveDateRange } from '../../platform/http/date-range.ts';
import type { InboundWebhook } from '../../platform/http/inbound-webhook.ts';
import { type Access, type Operation, operation } from '../../platform/http/operation.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { payoutExample } from './payouts.examples.ts';
import { getOwnPayout, listPayouts, listPendingAffiliates, payoutStats, payoutTimeline } from './payouts.queries.ts';
import {
  createPayoutBody,
  markBody,
  payoutListQuery,
  payoutSchema,
  payoutStatsQuery,
  payoutStatsSchema,
  pendingAffiliateSchema,
  pendingQuery,
  timelineEntrySchema,
  toPayout,
} from './payouts.wire.ts';
import type { Rails } from './rails/rails.ts';
import { createPayout } from './use-cases/create-payout.ts';
import { cancelPayout, completePayout, failPayout, processPayout } from './use-cases/mark-payout.ts';
import { receiveRailNotification } from './use-cases/receive-rail-notification.ts';
import { retryPayout } from './use-cases/retry-payout.ts';

const read: Access = { keys: ['merchant'], scope: 'payouts:read' };
const write: Access = { keys: ['merchant'], scope: 'payouts:write' };
const tag = 'Payouts';
const CREATION_REASONS = [
  'AFFILIATE_BLOCKED',
  'PAYOUT_IN_FLIGHT',
  'NOTHING_PAYABLE',
  'BELOW_THRESHOLD',
  'PAYOUT_DETAILS_MISSING',
] as const;

const sums = { totalPaid: 12500, totalPending: 0, totalFailed: 0, count: 1 };

export const payoutRoutes: Operation[] = [
  operation({
    id: 'listPayouts',
    method: 'GET',
    path: '/payouts',
    tag,
    summary: 'List payouts',
    access: read,
    query: payoutListQuery,
    paged: true,
    reply: payoutSchema,
    example: { data: [payoutExample] },
    handle: ({ ctx, query }) => listPayouts(ctx, merchantOf(ctx), resolveDateRange(query)),
  }),
  operation({
    id: 'createPayout',
    method: 'POST',
    path: '/payouts',
    tag,
    summary: 'Pay an affiliate everything that is payable in a program',
    access: write,
    body: createPayoutBody,
    reply: payoutSchema,
    status: 201,
    errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
    reasons: CREATION_REASONS,
    example: {
      data: payoutExample,
      body: { affiliateId: payoutExample.affiliateId, programId: payoutExample.programId, method: 'paypal' },
    },
    handle: async ({ ctx, body }) => toPayout(await createPayout(ctx, body)),
  }),
  operation({
    id: 'listPendingPayouts',
    method: 'GET',
    path: '/payouts/pending',
    tag,
    summary: 'Affiliates who are owed money',
    access: read,
    query: pendingQuery,
    paged: true,
    reply: pendingAffiliateSchema,
    example: {
      data: [
        {
          affiliateId: payoutExample.affiliateId,
          email: 'ada@example.com',
          name: 'Ada',
          code: 'ada',
          programId: payoutExample.programId,
          programName: 'Partners',
          payoutMethod: 'paypal',
          paypalEmail: 'ada@example.com',
          bankIban: null,
          pendingAmount: 12500,
          currency: 'eur',
          threshold: 5000,
          meetsThreshold: true,
          commissionCount: 3,
          hasPayoutMethod: true,
        },
      ],
    },
    handle: ({ ctx, query }) => listPendingAffiliates(ctx, merchantOf(ctx), query),
  }),
  operation({
    id: 'getPayoutStats',
    method: 'GET',
    path: '/payouts/stats',
    tag,
    summary: 'Payout totals of a period',
    access: { keys: ['merchant'], scope: 'stats:read' },
    query: payoutStatsQuery,
    reply: payoutStatsSchema,
    example: { data: { ...sums, currency: 'eur', byCurrency: [{ currency: 'eur', ...sums }] } },
    handle: ({ ctx, query }) => payoutStats(ctx, merchantOf(ctx), query),
  }),
  operation({
    id: 'getPayout',
    method: 'GET',
    path: '/payouts/{id}',
    tag,
    summary: 'Get a payout',
    access: read,
    params: idParams,
    reply: payoutSchema,
    errors: ['NOT_FOUND', 'FORBIDDEN'],
    example: { data: payoutExample },
    handle: ({ ctx, params }) => getOwnPayout(ctx, params.id),
  }),
  operation({
    id: 'getPayoutTimeline',
    method: 'GET',
    path: '/payouts/{id}/timeline',
    tag,
    summary: 'Everything that happened to a payout, oldest first',
    access: read,
    params: idParams,
    reply: z.array(timelineEntrySchema),
    errors: ['NOT_FOUND', 'FORBIDDEN'],
    example: {
      data: [
        {
          id: payoutExample.id,
          at: payoutExample.createdAt,
          what: 'created',
          actor: 'key:0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e11',
          from: null,
          to: 'pending',
          attempt: null,
          railReference: null,
          reason: null,
          workflowId: null,
          runId: null,
        },
      ],
    },
    handle: ({ ctx, params }) => payoutTimeline(ctx, params.id),
  }),
  operation({
    id: 'processPayout',
    method: 'POST',
    path: '/payouts/{id}/process',
    tag,
    summary: 'Begin to pay by hand (manual rail)',
    access: write,
    params: idParams,
    reply: payoutSchema,
    errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
    reasons: ['RAIL_NOT_MANUAL', 'ILLEGAL_TRANSITION'],
    example: { data: { ...payoutExample, rail: 'manual', status: 'processing' } },
    handle: async ({ ctx, params }) => toPayout(await processPayout(ctx, params)),
  }),
  operation({
    id: 'completePayout',
    method: 'POST',
    path: '/payouts/{id}/complete',
    tag,
    summary: 'Mark a payout as paid',
    access: write,
    params: idParams,
    body: markBody,
    reply: payoutSchema,
    errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
    reasons: ['RAIL_NOT_MANUAL', 'ILLEGAL_TRANSITION'],
    example: { data: { ...payoutExample, rail: 'manual', status: 'completed' }, body: { note: 'Paid from the main account' } },
    handle: async ({ ctx, params, body }) => toPayout(await completePayout(ctx, { ...params, ...body })),
  }),
  operation({
    id: 'failPayout',
    method: 'POST',
    path: '/payouts/{id}/fail',
    tag,
    summary: 'Mark a payout as failed; its money is payable again',
    access: write,
    params: idParams,
    body: markBody,
    reply: payoutSchema,
    errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
    reasons: ['RAIL_NOT_MANUAL', 'ILLEGAL_TRANSITION'],
    example: { data: { ...payoutExample, rail: 'manual', status: 'failed' }, body: { note: 'The bank refused it' } },
    handle: async ({ ctx, params, body }) => toPayout(await failPayout(ctx, { ...params, ...body })),
  }),
  operation({
    id: 'cancelPayout',
    method: 'POST',
    path: '/payouts/{id}/cancel',
    tag,
    summary: 'Cancel a payout that was not started',
    access: write,
    params: idParams,
    reply: payoutSchema,
    errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
    reasons: ['ATTEMPT_STARTED', 'ILLEGAL_TRANSITION'],
    example: { data: { ...payoutExample, status: 'failed', failureCode: 'cancelled' } },
    handle: async ({ ctx, params }) => toPayout(await cancelPayout(ctx, params)),
  }),
  operation({
    id: 'retryPayout',
    method: 'POST',
    path: '/payouts/{id}/retry',
    tag,
    summary: 'Pay again what a failed payout did not, as a new payout',
    access: write,
    params: idParams,
    reply: payoutSchema,
    status: 201,
    errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
    reasons: ['NOT_FAILED', 'ALREADY_RETRIED', ...CREATION_REASONS],
    example: { data: { ...payoutExample, retryOf: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e52' } },
    handle: async ({ ctx, params }) => toPayout(await retryPayout(ctx, params)),
  }),
];

export const payoutWebhooks = (rails: Rails): InboundWebhook[] => [
  {
    id: 'receiveRailNotification',
    path: '/api/integrations/rails/{rail}',
    summary: 'Signed notifications of payout rails',
    handle: ({ ctx, params, headers, rawBody }) =>
      receiveRailNotification(ctx, rails, { rail: params['rail'] ?? '', headers, rawBody }),
  },
];
