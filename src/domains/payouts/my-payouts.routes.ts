import { type Operation, operation } from '../../platform/http/operation.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { listMyPayouts } from './my-payouts.queries.ts';
import { myPayoutSchema, myPayoutsQuery } from './my-payouts.wire.ts';
import { listMyPayoutItems } from './payout-items.queries.ts';
import { myPayoutItemSchema, payoutItemsQuery } from './payout-items.wire.ts';
import { myPayoutExample, myPayoutItemExample } from './payouts.examples.ts';

const read = { tag: 'Me', access: { keys: ['affiliate'], scope: 'payouts:read' } } as const;

export const myPayoutRoutes: Operation[] = [
  operation({
    id: 'listMyPayouts',
    method: 'GET',
    path: '/me/payouts',
    ...read,
    summary: 'List your payouts',
    description: 'Returns your payouts in all programs or one, newest first. Empty for a program that you have not joined.',
    query: myPayoutsQuery,
    paged: true,
    reply: myPayoutSchema,
    example: { data: [myPayoutExample] },
    handle: ({ ctx, query }) => listMyPayouts(ctx, query),
  }),
  operation({
    id: 'listMyPayoutItems',
    method: 'GET',
    path: '/me/payouts/{id}/items',
    ...read,
    summary: 'List what one of your payouts consists of',
    description:
      'Returns the commissions of the payout, then its adjustments, the newest of each first. Their amounts add up to that of the payout.',
    params: idParams,
    errors: ['NOT_FOUND', 'FORBIDDEN'],
    query: payoutItemsQuery,
    paged: true,
    reply: myPayoutItemSchema,
    example: { data: [myPayoutItemExample] },
    handle: ({ ctx, params, query }) => listMyPayoutItems(ctx, params.id, query),
  }),
];
