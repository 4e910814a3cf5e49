import { operation } from '../../platform/http/operation.ts';
import { getPayoutInfo } from './my-payout-info.queries.ts';
import { payoutInfoExample, updatedPayoutInfoExample } from './payout-info.examples.ts';
import { payoutInfoSchema, updatePayoutInfoBody } from './payout-info.wire.ts';
import { confirmPayoutInfo, updatePayoutInfo } from './use-cases/update-payout-info.ts';

export const payoutInfoRoutes = [
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
    freshCheck: 'code',
    tag: 'Me',
    summary: 'Update your payout details',
    description:
      'Fields that are left out stay unchanged, null clears a field. `payoutMethod` needs its details: `paypalEmail`, or `bankIban` with `bankAccountHolder`. Payouts that exist already are paid to the previous details. A change is confirmed by email, and merchants may wait for up to 168 hours after it.',
    access: { keys: ['affiliate'], scope: 'profile:write' },
    body: updatePayoutInfoBody,
    reply: payoutInfoSchema,
    example: updatedPayoutInfoExample,
    handle: ({ ctx, body }) => updatePayoutInfo(ctx, body).then(() => getPayoutInfo(ctx)),
  }),
  operation({
    id: 'confirmPayoutInfo',
    method: 'POST',
    path: '/me/payout-info/confirm',
    freshCheck: 'code',
    tag: 'Me',
    summary: 'Confirm your payout details',
    description:
      'Says that the details are right although the payment provider refused payouts to them (`detailsRejected`): merchants can pay to them again. Without such refusals it changes nothing for your payouts.',
    access: { keys: ['affiliate'], scope: 'profile:write' },
    errors: ['CONFLICT'],
    reasons: ['PAYOUT_DETAILS_MISSING'],
    reply: payoutInfoSchema,
    example: { data: payoutInfoExample },
    handle: ({ ctx }) => confirmPayoutInfo(ctx),
  }),
];
