import { type Operation, operation } from '../../platform/http/operation.ts';
import { payoutInfoExample, updatedPayoutInfoExample } from './payout-info.examples.ts';
import { getPayoutInfo } from './payout-info.queries.ts';
import { payoutInfoSchema, toPayoutInfo, updatePayoutInfoBody } from './payout-info.wire.ts';
import { updatePayoutInfo } from './use-cases/update-payout-info.ts';

export const payoutInfoRoutes: Operation[] = [
  operation({
    id: 'getPayoutInfo',
    method: 'GET',
    path: '/me/payout-info',
    tag: 'Me',
    summary: 'Retrieve your payout details',
    description: 'Returns where you are paid in all programs. The IBAN is masked.',
    access: { keys: ['affiliate'], scope: 'profile:read' },
    reply: payoutInfoSchema,
    example: { data: payoutInfoExample },
    handle: ({ ctx }) => getPayoutInfo(ctx),
  }),
  operation({
    id: 'updatePayoutInfo',
    method: 'PATCH',
    path: '/me/payout-info',
    tag: 'Me',
    summary: 'Update your payout details',
    description:
      'Fields that are left out stay unchanged, null clears a field. `payoutMethod` needs its details: `paypalEmail`, or `bankIban` with `bankAccountHolder`. Payouts that exist already are paid to the previous details. A change is confirmed by email, and merchants may wait for up to 168 hours after it.',
    access: { keys: ['affiliate'], scope: 'profile:write' },
    body: updatePayoutInfoBody,
    reply: payoutInfoSchema,
    example: updatedPayoutInfoExample,
    handle: async ({ ctx, body }) => toPayoutInfo(await updatePayoutInfo(ctx, body)),
  }),
];
