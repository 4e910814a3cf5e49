import { z } from 'zod';
import { merchantOf } from '../../platform/context.ts';
import { resolveDateRange } from '../../platform/http/date-range.ts';
import type { InboundWebhook } from '../../platform/http/inbound-webhook.ts';
import { operation } from '../../platform/http/operation.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { withGivenTimes } from '../given-times.ts';
import { conversionDetailExample, conversionExample, conversionStatsExample, saleEventExamples } from './conversions.examples.ts';
import { getConversion, listConversions, listRecentConversions } from './conversions.queries.ts';
import { conversionListQuery, conversionSchema, conversionStatsSchema, recentQuery, statsQuery } from './conversions.wire.ts';
import { conversionDetailSchema } from './lists/conversion-detail.wire.ts';
import { getConversionStats } from './lists/stats.queries.ts';
import { saleEventSchema, saleResultSchema } from './record/sale-events.wire.ts';
import { receiveSaleEvent } from './use-cases/receive-sale-event.ts';

const read = { tag: 'Conversions', access: { keys: ['merchant'], scope: 'conversions:read' } } as const;

export const conversionRoutes = [
  operation({
    ...read,
    id: 'listConversions',
    method: 'GET',
    path: '/conversions',
    summary: 'List conversions',
    description: 'Returns the conversions of all your programs, newest first.',
    query: conversionListQuery,
    paged: true,
    reply: conversionSchema,
    example: { data: [conversionExample] },
    handle: async ({ ctx, query }) => listConversions(ctx, merchantOf(ctx), await withGivenTimes(ctx, resolveDateRange(query))),
  }),
  operation({
    ...read,
    id: 'listRecentConversions',
    method: 'GET',
    path: '/conversions/recent',
    summary: 'List recent conversions',
    description: 'Returns the most recent conversions of all your programs, newest first, without pagination.',
    query: recentQuery,
    reply: z.array(conversionSchema),
    example: { data: [conversionExample] },
    handle: ({ ctx, query }) => listRecentConversions(ctx, merchantOf(ctx), query.limit),
  }),
  operation({
    ...read,
    id: 'getConversionStats',
    method: 'GET',
    path: '/conversions/stats',
    summary: 'Retrieve conversion statistics',
    description:
      'Counts the conversions of a period, and adds up their sales and commissions as they are now: a refund lowers the period of its sale. The totals at the top are in `currency`, that of your most recent sale, and `byCurrency` has those of each currency: amounts are never summed across currencies. `total` includes rejected and refunded conversions.',
    access: { keys: ['merchant'], scope: 'stats:read' },
    query: statsQuery,
    reply: conversionStatsSchema,
    example: { data: conversionStatsExample },
    handle: ({ ctx, query }) => getConversionStats(ctx, merchantOf(ctx), query),
  }),
  operation({
    ...read,
    id: 'getConversion',
    method: 'GET',
    path: '/conversions/{id}',
    summary: 'Retrieve a conversion',
    description:
      'Returns the conversion with the evidence that decided on its affiliate, and every ledger entry that followed, oldest first. Entries of a payout have the payout as their reference and are not included.',
    params: idParams,
    reply: conversionDetailSchema,
    errors: ['NOT_FOUND', 'FORBIDDEN'],
    example: { data: conversionDetailExample },
    handle: ({ ctx, params }) => getConversion(ctx, params.id),
  }),
];

export const conversionWebhooks: InboundWebhook[] = [
  {
    id: 'receiveSaleEvent',
    path: '/api/integrations/events/{programId}',
    tag: 'Sale events',
    summary: 'Report a sale, a refund or a sign-up',
    description:
      'Signed with the event secret of the program (`POST /programs/{id}/event-secret`). `recorded`: credited to an affiliate. `unattributed`: recorded without a commission. `duplicate`: received before with the same data; nothing changed. `waiting`: a refund whose sale has not arrived; it is applied when the sale does.',
    params: { programId: 'Id of the program that made the sale' },
    body: saleEventSchema,
    reply: saleResultSchema,
    reasons: ['BUSY', 'PAYLOAD_MISMATCH', 'REFUND_EXCEEDS_SALE'],
    examples: { bodies: saleEventExamples, data: { outcome: 'recorded', conversionId: conversionExample.id } },
    handle: ({ ctx, params, ...message }) => receiveSaleEvent(ctx, { programId: params['programId'] ?? '', ...message }),
  },
];
