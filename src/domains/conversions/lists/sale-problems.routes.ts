import { operation } from '../../../platform/http/operation.ts';
import { idParams } from '../../../platform/http/schemas.ts';
import { resolveSaleProblemExample, saleProblemExample } from '../conversions.examples.ts';
import { resolveSaleProblem } from '../use-cases/resolve-sale-problem.ts';
import { listSaleProblems } from './sale-problems.queries.ts';
import { resolveSaleProblemBody, saleProblemSchema, saleProblemsQuery } from './sale-problems.wire.ts';

export const saleProblemRoutes = [
  operation({
    tag: 'Conversions',
    access: { keys: ['merchant'], scope: 'conversions:read' },
    id: 'listSaleProblems',
    method: 'GET',
    path: '/sale-problems',
    summary: 'List sale problems',
    description:
      'Returns events of your payment systems that need a person, newest first: they could not be applied, or it is unclear who is credited. Each is also mailed to you, at most once a day.',
    query: saleProblemsQuery,
    paged: true,
    reply: saleProblemSchema,
    example: { data: [saleProblemExample] },
    handle: ({ ctx, query }) => listSaleProblems(ctx, query),
  }),
  operation({
    tag: 'Conversions',
    access: { keys: ['merchant'], scope: 'affiliates:manage' },
    id: 'resolveSaleProblem',
    method: 'POST',
    path: '/sale-problems/{id}/resolve',
    summary: 'Close a sale problem',
    description:
      'You have looked at the event and done what was needed. It changes no sale. `POST /sales/{id}/attribute` closes the problems of the sale that it credits.',
    params: idParams,
    body: resolveSaleProblemBody,
    reply: saleProblemSchema,
    errors: ['NOT_FOUND', 'FORBIDDEN'],
    example: resolveSaleProblemExample,
    handle: ({ ctx, params, body }) => resolveSaleProblem(ctx, { ...params, ...body }),
  }),
];
