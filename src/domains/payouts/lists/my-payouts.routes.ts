import { operation } from '../../../platform/http/operation.ts';
import { idParams } from '../../../platform/http/schemas.ts';
import { pageUrlExample, pageUrlSchema } from '../../../platform/http/signed-page.ts';
import { listMyPayoutItems } from '../create/payout-items.queries.ts';
import { myPayoutItemSchema, payoutItemsQuery } from '../create/payout-items.wire.ts';
import { myPayoutExample, myPayoutItemExample } from '../payouts.examples.ts';
import { getMyPayoutRemittance } from '../remittance/remittance.queries.ts';
import { listMyPayouts } from './my-payouts.queries.ts';
import { myPayoutSchema, myPayoutsQuery } from './my-payouts.wire.ts';
import { nextPaymentExample } from './next-payments.examples.ts';
import { listNextPayments } from './next-payments.queries.ts';
import { nextPaymentSchema, nextPaymentsQuery } from './next-payments.wire.ts';

const read = { tag: 'Me', access: { keys: ['affiliate'], scope: 'payouts:read', domain: true } } as const;

export const myPayoutRoutes = [
  operation({
    id: 'listMyPayouts',
    method: 'GET',
    path: '/me/payouts',
    ...read,
    access: { ...read.access, embed: true },
    summary: 'List your payouts',
    description: 'Returns your payouts in all programs or one, newest first. Empty for a program that you have not joined.',
    query: myPayoutsQuery,
    paged: true,
    reply: myPayoutSchema,
    example: { data: [myPayoutExample] },
    handle: ({ ctx, query }) => listMyPayouts(ctx, query),
  }),
  operation({
    id: 'listNextPayments',
    method: 'GET',
    path: '/me/next-payments',
    ...read,
    summary: 'List your next payments',
    description:
      'Returns what you would be paid now in each of your programs, or why you would not, by the rules of payouts and payout runs; the newest program first. `scheduledAt` is when the program pays next, if it pays by a schedule.',
    query: nextPaymentsQuery,
    paged: true,
    reply: nextPaymentSchema,
    example: { data: [nextPaymentExample] },
    handle: ({ ctx, query }) => listNextPayments(ctx, query),
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
  operation({
    id: 'getMyPayoutRemittance',
    method: 'GET',
    path: '/me/payouts/{id}/remittance',
    ...read,
    summary: 'Retrieve the remittance advice of one of your payouts',
    description:
      'Returns the URL of a page for the browser and for print: who paid you, when, for which commissions and adjustments, with the masked destination and the reference of the payment.',
    params: idParams,
    errors: ['NOT_FOUND', 'FORBIDDEN'],
    reply: pageUrlSchema,
    reasons: ['NOT_COMPLETED'],
    example: { data: pageUrlExample },
    handle: ({ ctx, params }) => getMyPayoutRemittance(ctx, params.id),
  }),
];
