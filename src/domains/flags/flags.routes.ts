import { operation } from '../../platform/http/operation.ts';
import { idParams } from '../../platform/http/schemas.ts';
import {
  createFlagExample,
  flagDetailExample,
  flagExample,
  flagRecordExample,
  flagStatsExample,
  resolvedFlagExample,
} from './flags.examples.ts';
import { getFlagDetail, getFlagStats, listFlags } from './flags.queries.ts';
import {
  createFlagBody,
  flagDetailSchema,
  flagListQuery,
  flagQuery,
  flagRecordSchema,
  flagSchema,
  flagStatsQuery,
  flagStatsSchema,
  hasEarlierEvidence,
  resolveFlagBody,
} from './flags.wire.ts';
import { createFlag, resolveFlag } from './use-cases/flag.ts';

const read = { tag: 'Flags', access: { keys: ['merchant'], scope: 'flags:read' } } as const;
const write = { tag: 'Flags', access: { keys: ['merchant'], scope: 'flags:write' } } as const;

export const flagRoutes = [
  operation({
    ...read,
    id: 'listFlags',
    method: 'GET',
    path: '/flags',
    summary: 'List flags',
    description:
      'Returns flags of your affiliates, newest first. The conversions that are linked to an open flag are neither approved nor paid.',
    query: flagListQuery,
    paged: true,
    reply: flagRecordSchema,
    example: { data: [flagRecordExample] },
    handle: ({ ctx, query }) => listFlags(ctx, query),
  }),
  operation({
    ...read,
    id: 'getFlagStats',
    method: 'GET',
    path: '/flags/stats',
    summary: 'Retrieve flag statistics',
    description: 'Returns the number of flags by status, of all your programs or of one.',
    query: flagStatsQuery,
    reply: flagStatsSchema,
    example: { data: flagStatsExample },
    handle: ({ ctx, query }) => getFlagStats(ctx, query),
  }),
  operation({
    ...read,
    id: 'getFlag',
    method: 'GET',
    path: '/flags/{id}',
    summary: 'Retrieve a flag',
    description: 'Returns the flag with its evidence and the conversions that are linked to it.',
    params: idParams,
    query: flagQuery,
    reply: flagDetailSchema,
    example: { data: flagDetailExample },
    handle: ({ ctx, params, query }) => getFlagDetail(ctx, { ...query, id: params.id }),
  }),
  operation({
    ...write,
    id: 'createFlag',
    method: 'POST',
    path: '/flags',
    status: 201,
    summary: 'Flag an affiliate',
    description:
      'Opens a flag of the type `manual_review`, which holds the given conversions until it is resolved; without any it holds nothing. While one is open for the affiliate, the conversions and the note are added to it: the response is then 200, and its deadline is counted anew.',
    body: createFlagBody,
    reply: flagSchema,
    errors: ['NOT_FOUND'],
    isExisting: hasEarlierEvidence,
    example: { data: flagExample, body: createFlagExample },
    handle: ({ ctx, body }) => createFlag(ctx, body),
  }),
  operation({
    ...write,
    id: 'resolveFlag',
    method: 'POST',
    path: '/flags/{id}/resolve',
    summary: 'Resolve a flag',
    description:
      '`dismissed` and `reviewed` end the hold: what became due meanwhile is approved. `confirmed` rejects the commissions of the linked conversions that are not paid, and blocks the affiliate if you ask for it. Rejecting many takes some time: they stay on hold until `holdEndedAt`. A commission in a payout that is being paid, or was paid, is rejected only if that payout fails or its money comes back: `holdEndedAt` is null again until then.',
    params: idParams,
    body: resolveFlagBody,
    reply: flagSchema,
    reasons: ['ALREADY_RESOLVED'],
    example: { data: resolvedFlagExample, body: { status: 'dismissed', note: 'Checked with the affiliate.' } },
    handle: ({ ctx, params, body }) => resolveFlag(ctx, { ...body, id: params.id }),
  }),
];
