import { type Operation, operation } from '../../platform/http/operation.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { earningExample } from './earnings.examples.ts';
import { listProgramEarnings } from './earnings.queries.ts';
import { earningSchema, earningsQuery } from './earnings.wire.ts';

export const earningRoutes: Operation[] = [
  operation({
    id: 'listProgramEarnings',
    method: 'GET',
    path: '/me/earnings/{id}',
    tag: 'Me',
    summary: 'List your earnings in a program',
    description:
      'Returns your commissions, after refunds, and manual adjustments in one program, newest first. `{id}` is the program. 403 for a program that you have not joined.',
    access: { keys: ['affiliate'], scope: 'earnings:read' },
    params: idParams,
    query: earningsQuery,
    paged: true,
    reply: earningSchema,
    example: { data: [earningExample] },
    handle: ({ ctx, params, query }) => listProgramEarnings(ctx, params.id, query),
  }),
];
