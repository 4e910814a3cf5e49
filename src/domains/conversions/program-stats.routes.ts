import { type Operation, operation } from '../../platform/http/operation.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { programStatsExample } from './program-stats.examples.ts';
import { getProgramStats } from './program-stats.queries.ts';
import { programStatsQuery, programStatsSchema } from './program-stats.wire.ts';

export const programStatsRoutes: Operation[] = [
  operation({
    id: 'getProgramStats',
    method: 'GET',
    path: '/programs/{id}/stats',
    tag: 'Programs',
    summary: 'Retrieve the statistics of a program',
    description:
      'Counts the conversions that were created in the period. The number of affiliates is that of today. All amounts are in `currency`, that of the program.',
    access: { keys: ['merchant'], scope: 'stats:read' },
    params: idParams,
    query: programStatsQuery,
    reply: programStatsSchema,
    example: { data: programStatsExample },
    handle: ({ ctx, params, query }) => getProgramStats(ctx, params.id, query.period),
  }),
];
