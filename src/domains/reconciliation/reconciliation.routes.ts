import { operation } from '../../platform/http/operation.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { differenceExample, resolveDifferenceExample, runExample, statusExample } from './reconciliation.examples.ts';
import {
  getReconciliationDifference,
  getReconciliationStatus,
  listReconciliationDifferences,
  listReconciliationRuns,
} from './reconciliation.queries.ts';
import * as wire from './reconciliation.wire.ts';
import { resolveReconciliationDifference } from './use-cases/resolve-reconciliation-difference.ts';

const tag = 'Reconciliation';
const read = { tag, access: { keys: ['merchant'], scope: 'payouts:read' } } as const;

export const reconciliationRoutes = [
  operation({
    id: 'getReconciliationStatus',
    method: 'GET',
    path: '/reconciliation',
    ...read,
    summary: 'Retrieve the state of reconciliation',
    description:
      'Returns whether payments are on hold, as after the restore of a backup, and how many differences wait for you. While payments are on hold, nothing is sent, and payouts can be created.',
    reply: wire.statusSchema,
    example: { data: statusExample },
    handle: ({ ctx }) => getReconciliationStatus(ctx),
  }),
  operation({
    id: 'listReconciliationDifferences',
    method: 'GET',
    path: '/reconciliation/differences',
    ...read,
    summary: 'List differences between the books and providers',
    description:
      "Returns payments that your books and a provider's own list tell differently, newest first. The two are compared every day. While a payment is `missing_here`, nothing else is paid to its payee.",
    query: wire.differencesQuery,
    paged: true,
    reply: wire.differenceSchema,
    example: { data: [differenceExample] },
    handle: ({ ctx, query }) => listReconciliationDifferences(ctx, query),
  }),
  operation({
    id: 'getReconciliationDifference',
    method: 'GET',
    path: '/reconciliation/differences/{id}',
    ...read,
    summary: 'Get a difference',
    description: 'Returns one difference with both sides.',
    params: idParams,
    reply: wire.differenceSchema,
    errors: ['NOT_FOUND', 'FORBIDDEN'],
    example: { data: differenceExample },
    handle: ({ ctx, params }) => getReconciliationDifference(ctx, params.id),
  }),
  operation({
    id: 'resolveReconciliationDifference',
    method: 'POST',
    path: '/reconciliation/differences/{id}/resolve',
    tag,
    access: { keys: ['merchant'], scope: 'payouts:write' },
    summary: 'Resolve a difference',
    description:
      'You have looked at it and done what was needed. It books nothing. For `missing_here` it lets the payee be paid again; with `payoutId`, the payment is linked to that payout, and if the payout is still pending, it is not sent. Errors: `ALREADY_RESOLVED` when it was resolved or closed before, `ATTEMPT_STARTED` when the linked payout is being paid itself.',
    params: idParams,
    body: wire.resolveDifferenceBody,
    reply: wire.differenceSchema,
    errors: ['NOT_FOUND', 'FORBIDDEN', 'VALIDATION_ERROR'],
    reasons: ['ALREADY_RESOLVED', 'ATTEMPT_STARTED'],
    example: resolveDifferenceExample,
    handle: ({ ctx, params, body }) => resolveReconciliationDifference(ctx, { ...params, ...body }),
  }),
  operation({
    id: 'listReconciliationRuns',
    method: 'GET',
    path: '/reconciliation/runs',
    ...read,
    summary: 'List comparisons of the books with providers',
    description:
      'Returns the comparisons of your accounts, newest first, with the sums of both sides by currency. What the provider lists besides your payouts is added up too, so that the sums explain the balance.',
    query: wire.runsQuery,
    paged: true,
    reply: wire.runSchema,
    example: { data: [runExample] },
    handle: ({ ctx, query }) => listReconciliationRuns(ctx, query),
  }),
];
