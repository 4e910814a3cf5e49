import { z } from 'zod';
import { merchantOf } from '../../platform/context.ts';
import type { InboundWebhook } from '../../platform/http/inbound-webhook.ts';
import { withDates } from '../../platform/http/merchant-rows.ts';
import { type Operation, operation } from '../../platform/http/operation.ts';
import { conversionExample } from './conversions.examples.ts';
import { conversionStats, listConversions, recentConversions } from './conversions.queries.ts';
import { conversionListQuery, conversionSchema, conversionStatsSchema, recentQuery, statsQuery } from './conversions.wire.ts';
import { receiveSaleEvent } from './use-cases/receive-sale-event.ts';

const totals = { total: 1, pending: 1, approved: 0, totalRevenue: 9900, totalCommissions: 1980 };

export const conversionRoutes: Operation[] = [
  operation({
    id: 'listConversions',
    method: 'GET',
    path: '/conversions',
    tag: 'Conversions',
    summary: 'List conversions',
    access: { keys: ['merchant'], scope: 'conversions:read' },
    query: conversionListQuery,
    paged: true,
    reply: conversionSchema,
    example: { data: [conversionExample] },
    handle: ({ ctx, query }) => listConversions(ctx, merchantOf(ctx), withDates(query)),
  }),
  operation({
    id: 'listRecentConversions',
    method: 'GET',
    path: '/conversions/recent',
    tag: 'Conversions',
    summary: 'The newest conversions',
    access: { keys: ['merchant'], scope: 'conversions:read' },
    query: recentQuery,
    reply: z.array(conversionSchema),
    example: { data: [conversionExample] },
    handle: ({ ctx, query }) => recentConversions(ctx, merchantOf(ctx), query.limit),
  }),
  operation({
    id: 'getConversionStats',
    method: 'GET',
    path: '/conversions/stats',
    tag: 'Conversions',
    summary: 'Conversion totals of a period',
    access: { keys: ['merchant'], scope: 'stats:read' },
    query: statsQuery,
    reply: conversionStatsSchema,
    example: { data: { ...totals, currency: 'usd', byCurrency: [{ currency: 'usd', ...totals }] } },
    handle: ({ ctx, query }) => conversionStats(ctx, merchantOf(ctx), query),
  }),
];

export const conversionWebhooks: InboundWebhook[] = [
  {
    id: 'receiveSaleEvent',
    path: '/api/integrations/events/{programId}',
    summary: 'Signed sale events of any payment system',
    handle: ({ ctx, params, headers, rawBody }) =>
      receiveSaleEvent(ctx, { programId: params['programId'] ?? '', headers, rawBody }),
  },
];
