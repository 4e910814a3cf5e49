import { z } from 'zod';
import { operation } from '../../platform/http/operation.ts';
import { joinedProgramParams } from '../../platform/http/schemas.ts';
import { earningsSchema } from './earnings.wire.ts';
import { earningsExample, myProgramDetailExample, myProgramExample, overviewExample } from './workspace.examples.ts';
import { getMyEarnings, getMyProgram, getOverview, listMyPrograms } from './workspace.queries.ts';
import { myProgramDetailSchema, myProgramSchema, overviewSchema } from './workspace.wire.ts';

const profile = { tag: 'Me', access: { keys: ['affiliate'], scope: 'profile:read' } } as const;
const embedded = { ...profile, access: { ...profile.access, embed: true } } as const;

export const workspaceRoutes = [
  operation({
    id: 'getOverview',
    method: 'GET',
    path: '/me/overview',
    tag: 'Me',
    summary: 'Retrieve your totals',
    description:
      'The amounts at the top are in `currency`, that of your most recent conversion; amounts are never summed across currencies. `programStats` has the 1,000 programs that you joined last.',
    access: { keys: ['affiliate'], scope: 'stats:read' },
    reply: overviewSchema,
    example: { data: overviewExample },
    handle: ({ ctx }) => getOverview(ctx),
  }),
  operation({
    ...embedded,
    id: 'listMyPrograms',
    method: 'GET',
    path: '/me/programs',
    summary: 'List your programs',
    description: 'Returns the programs that you joined, newest first, without pagination. At most 1,000.',
    reply: z.array(myProgramSchema),
    example: { data: [myProgramExample] },
    handle: ({ ctx }) => listMyPrograms(ctx),
  }),
  operation({
    ...profile,
    id: 'getMyProgram',
    method: 'GET',
    path: '/me/programs/{id}',
    summary: 'Retrieve one of your programs',
    description:
      'Returns the terms of a program that you joined, where its links may lead, and your payout details, with the IBAN masked. `{id}` is the program.',
    params: joinedProgramParams,
    reply: myProgramDetailSchema,
    example: { data: myProgramDetailExample },
    handle: ({ ctx, params }) => getMyProgram(ctx, params.id),
  }),
  operation({
    id: 'getMyEarnings',
    method: 'GET',
    path: '/me/earnings',
    tag: 'Me',
    summary: 'Retrieve your earnings',
    description:
      'Returns your balances in all programs. The amounts at the top are in `currency`, that of your most recent conversion; amounts are never summed across currencies.',
    access: { keys: ['affiliate'], scope: 'earnings:read', embed: true },
    reply: earningsSchema,
    example: { data: earningsExample },
    handle: ({ ctx }) => getMyEarnings(ctx),
  }),
];
