import type { ProgramStatsView } from './program-stats.wire.ts';

export const programStatsExample: ProgramStatsView = {
  programId: '0198f1c2-8b10-7d02-8f3e-51c9a7e2b604',
  programName: 'Acme Partners',
  status: 'active',
  currency: 'usd',
  totalRevenue: 117_600,
  totalConversions: 13,
  totalCommissions: 29_400,
  pendingCommissions: 9_800,
  activeAffiliates: 3,
  conversionsByStatus: { pending: 4, approved: 8, partiallyRefunded: 0, rejected: 0, refunded: 1 },
};
