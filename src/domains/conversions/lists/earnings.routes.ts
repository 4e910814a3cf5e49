import { operation } from '../../../platform/http/operation.ts';
import { joinedProgramParams } from '../../../platform/http/schemas.ts';
import { listProgramEarnings } from './earnings.queries.ts';
import { type EarningView, earningSchema, earningsQuery } from './earnings.wire.ts';

const earningExample: EarningView = {
  id: '0198f1c2-b1d0-7e22-9a3f-6c0d5e8b7a14',
  programId: '0198f1c2-8b10-7d02-8f3e-51c9a7e2b604',
  type: 'commission',
  amount: 2_450,
  currency: 'usd',
  status: 'approved',
  saleAmount: 9_800,
  refundedAmount: 0,
  availableAt: '2026-02-15T10:00:00.000Z',
  payoutId: null,
  createdAt: '2026-01-16T10:00:00.000Z',
};

export const earningRoutes = [
  operation({
    id: 'listProgramEarnings',
    method: 'GET',
    path: '/me/earnings/{id}',
    tag: 'Me',
    summary: 'List your earnings in a program',
    description:
      'Returns your commissions, after refunds, and manual adjustments in one program, newest first. `{id}` is the program. 403 for a program that you have not joined.',
    access: { keys: ['affiliate'], scope: 'earnings:read', domain: true },
    params: joinedProgramParams,
    query: earningsQuery,
    paged: true,
    reply: earningSchema,
    example: { data: [earningExample] },
    handle: ({ ctx, params, query }) => listProgramEarnings(ctx, params.id, query),
  }),
];
