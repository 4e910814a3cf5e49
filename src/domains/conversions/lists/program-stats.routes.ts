import { operation } from '../../../platform/http/operation.ts';
import { idParams } from '../../../platform/http/schemas.ts';
import { type ProgramStatsView, programStatsQuery, programStatsSchema } from './program-stats.wire.ts';
import { getProgramStats } from './stats.queries.ts';

const programStatsExample: ProgramStatsView = {
  programId: '0198f1c2-8b10-7d02-8f3e-51c9a7e2b604',
  programName: 'Acme Partners',
  status: 'active',
  currency: 'usd',
  totalRevenue: 117_600,
  totalConversions: 13,
  totalCommissions: 29_400,
  pendingCommissions: 9_800,
  leads: 21,
  customers: 11,
  activeAffiliates: 3,
  conversionsByStatus: { pending: 4, approved: 8, partiallyRefunded: 0, rejected: 0, refunded: 1 },
};

export const programStatsRoutes = [
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
