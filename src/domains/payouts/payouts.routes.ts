import { z } from 'zod';
import type { InboundWebhook } from '../../platform/http/inbound-webhook.ts';
import { withDates } from '../../platform/http/merchant-rows.ts';
import { type Operation, operation } from '../../platform/http/operation.ts';
import { idParams } from '../../platform/http/schemas.ts';
import * as examples from './payouts.examples.ts';
import { getPayout, getPayoutStats, getPayoutTimeline, listPayouts, listPendingPayouts } from './payouts.queries.ts';
import * as wire from './payouts.wire.ts';
import type { Rails } from './rails/rails.ts';
import { cancelPayout } from './use-cases/cancel-payout.ts';
import { completePayout } from './use-cases/complete-payout.ts';
import { createPayout } from './use-cases/create-payout.ts';
import { failPayout } from './use-cases/fail-payout.ts';
import { processPayout } from './use-cases/process-payout.ts';
import { receiveRailNotification } from './use-cases/receive-rail-notification.ts';
import { retryPayout } from './use-cases/retry-payout.ts';

const tag = 'Payouts';
const onePayout = { params: idParams, errors: ['NOT_FOUND', 'FORBIDDEN'] } as const;
const read = { tag, access: { keys: ['merchant'], scope: 'payouts:read' } } as const;
const write = {
  tag,
  access: { keys: ['merchant'], scope: 'payouts:write' },
  reply: wire.payoutSchema,
  errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
} as const;
const CREATION_REASONS = [
  'AFFILIATE_BLOCKED',
  'PAYOUT_IN_FLIGHT',
  'NOTHING_PAYABLE',
  'BELOW_THRESHOLD',
  'PAYOUT_DETAILS_MISSING',
] as const;

export const payoutRoutes: Operation[] = [
  operation({
    id: 'listPayouts',
    method: 'GET',
    path: '/payouts',
    ...read,
    summary: 'List payouts',
    query: wire.payoutListQuery,
    paged: true,
    reply: wire.payoutSchema,
    example: { data: [examples.payoutExample] },
    handle: ({ ctx, query }) => listPayouts(ctx, withDates(query)),
  }),
  operation({
    id: 'createPayout',
    method: 'POST',
    path: '/payouts',
    ...write,
    summary: 'Create a payout',
    body: wire.createPayoutBody,
    status: 201,
    reasons: CREATION_REASONS,
    example: { data: examples.payoutExample, body: examples.createPayoutExample },
    handle: async ({ ctx, body }) => wire.toPayout(await createPayout(ctx, body)),
  }),
  operation({
    id: 'listPendingPayouts',
    method: 'GET',
    path: '/payouts/pending',
    ...read,
    summary: 'List affiliates with a payable balance',
    query: wire.pendingPayoutsQuery,
    paged: true,
    reply: wire.pendingAffiliateSchema,
    example: { data: [examples.pendingAffiliateExample] },
    handle: ({ ctx, query }) => listPendingPayouts(ctx, query),
  }),
  operation({
    id: 'getPayoutStats',
    method: 'GET',
    path: '/payouts/stats',
    tag,
    summary: 'Retrieve payout totals',
    access: { keys: ['merchant'], scope: 'stats:read' },
    query: wire.payoutStatsQuery,
    reply: wire.payoutStatsSchema,
    example: { data: examples.payoutStatsExample },
    handle: ({ ctx, query }) => getPayoutStats(ctx, query),
  }),
  operation({
    id: 'getPayout',
    method: 'GET',
    path: '/payouts/{id}',
    ...read,
    ...onePayout,
    summary: 'Retrieve a payout',
    reply: wire.payoutSchema,
    example: { data: examples.payoutExample },
    handle: ({ ctx, params }) => getPayout(ctx, params.id),
  }),
  operation({
    id: 'getPayoutTimeline',
    method: 'GET',
    path: '/payouts/{id}/timeline',
    ...read,
    ...onePayout,
    summary: 'Retrieve the timeline of a payout',
    reply: z.array(wire.timelineEntrySchema),
    example: { data: [examples.timelineEntryExample] },
    handle: ({ ctx, params }) => getPayoutTimeline(ctx, params.id),
  }),
  operation({
    id: 'processPayout',
    method: 'POST',
    path: '/payouts/{id}/process',
    ...write,
    summary: 'Mark a manual payout as in progress',
    params: idParams,
    reasons: ['RAIL_NOT_MANUAL', 'ILLEGAL_TRANSITION'],
    example: { data: examples.processingPayoutExample },
    handle: async ({ ctx, params }) => wire.toPayout(await processPayout(ctx, params)),
  }),
  operation({
    id: 'completePayout',
    method: 'POST',
    path: '/payouts/{id}/complete',
    ...write,
    summary: 'Mark a payout as paid',
    params: idParams,
    body: wire.manualDecisionBody,
    reasons: ['RAIL_NOT_MANUAL', 'ILLEGAL_TRANSITION'],
    example: { data: examples.completedPayoutExample, body: { note: 'Paid from the main account' } },
    handle: async ({ ctx, params, body }) => wire.toPayout(await completePayout(ctx, { ...params, ...body })),
  }),
  operation({
    id: 'failPayout',
    method: 'POST',
    path: '/payouts/{id}/fail',
    ...write,
    summary: 'Mark a payout as failed',
    params: idParams,
    body: wire.manualDecisionBody,
    reasons: ['RAIL_NOT_MANUAL', 'ILLEGAL_TRANSITION'],
    example: { data: examples.failedPayoutExample, body: { note: 'Rejected by the bank' } },
    handle: async ({ ctx, params, body }) => wire.toPayout(await failPayout(ctx, { ...params, ...body })),
  }),
  operation({
    id: 'cancelPayout',
    method: 'POST',
    path: '/payouts/{id}/cancel',
    ...write,
    summary: 'Cancel a pending payout',
    params: idParams,
    reasons: ['ATTEMPT_STARTED', 'ILLEGAL_TRANSITION'],
    example: { data: examples.cancelledPayoutExample },
    handle: async ({ ctx, params }) => wire.toPayout(await cancelPayout(ctx, params)),
  }),
  operation({
    id: 'retryPayout',
    method: 'POST',
    path: '/payouts/{id}/retry',
    ...write,
    summary: 'Retry a failed payout',
    params: idParams,
    status: 201,
    reasons: ['NOT_FAILED', 'ALREADY_RETRIED', ...CREATION_REASONS],
    example: { data: examples.retriedPayoutExample },
    handle: async ({ ctx, params }) => wire.toPayout(await retryPayout(ctx, params)),
  }),
];

export const payoutWebhooks = (rails: Rails): InboundWebhook[] => [
  {
    id: 'receiveRailNotification',
    path: '/api/integrations/rails/{rail}',
    summary: 'Receive a payout notification',
    handle: ({ ctx, params, headers, rawBody }) =>
      receiveRailNotification(ctx, rails, { rail: params['rail'] ?? '', headers, rawBody }),
  },
];
