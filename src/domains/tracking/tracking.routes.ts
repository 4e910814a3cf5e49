import { operation } from '../../platform/http/operation.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { getMyClicks } from './click-stats.queries.ts';
import { clickStatsExample, trackingStatusExample } from './tracking.examples.ts';
import { getTrackingStatus } from './tracking.queries.ts';
import { clickStatsQuery, clickStatsSchema, trackingStatusSchema } from './tracking.wire.ts';

export const trackingRoutes = [
  operation({
    id: 'getTrackingStatus',
    method: 'GET',
    path: '/programs/{id}/tracking/status',
    tag: 'Tracking',
    summary: 'Retrieve the tracking status of a program',
    description:
      'Tells from what was measured whether clicks and sales arrive, and for each part that is missing how to set it up. Counts stop at 10,000.',
    access: { keys: ['merchant'], scope: 'programs:read' },
    params: idParams,
    reply: trackingStatusSchema,
    example: { data: trackingStatusExample },
    handle: ({ ctx, params }) => getTrackingStatus(ctx, params.id),
  }),
  operation({
    id: 'getMyClicks',
    method: 'GET',
    path: '/me/clicks',
    tag: 'Me',
    summary: 'Retrieve your clicks',
    description:
      'Counts the clicks on your codes and links by link, day and source, in all programs or one. Days are in UTC; the default are the last 30 days, and at most 366 can be asked for. Shows the 100 links and the 100 sources with the most clicks.',
    access: { keys: ['affiliate'], scope: 'stats:read' },
    query: clickStatsQuery,
    reply: clickStatsSchema,
    example: { data: clickStatsExample },
    handle: ({ ctx, query }) => getMyClicks(ctx, query),
  }),
];
