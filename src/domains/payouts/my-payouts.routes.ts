import { type Operation, operation } from '../../platform/http/operation.ts';
import { listMyPayouts } from './my-payouts.queries.ts';
import { myPayoutSchema, myPayoutsQuery } from './my-payouts.wire.ts';
import { myPayoutExample } from './payouts.examples.ts';

export const myPayoutRoutes: Operation[] = [
  operation({
    id: 'listMyPayouts',
    method: 'GET',
    path: '/me/payouts',
    tag: 'Me',
    summary: 'List your payouts',
    description: 'Returns your payouts in all programs or one, newest first. Empty for a program that you have not joined.',
    access: { keys: ['affiliate'], scope: 'payouts:read' },
    query: myPayoutsQuery,
    paged: true,
    reply: myPayoutSchema,
    example: { data: [myPayoutExample] },
    handle: ({ ctx, query }) => listMyPayouts(ctx, query),
  }),
];
