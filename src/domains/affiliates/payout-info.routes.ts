import { operation } from '../../platform/http/operation.ts';
import { getPayoutInfo } from './my-payout-info.queries.ts';
import { payoutInfoExample, updatedPayoutInfoExample } from './payout-info.examples.ts';
import { payoutInfoSchema, restoredPayoutInfoSchema, restorePayoutInfoBody, updatePayoutInfoBody } from './payout-info.wire.ts';
import { confirmPayoutInfo, restorePayoutInfo, updatePayoutInfo } from './use-cases/update-payout-info.ts';

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
      'Fields that are left out stay unchanged, null clears a field. `payoutMethod` needs its details: `paypalEmail`, or `bankIban` with `bankAccountHolder`. Payouts that exist already are paid to the previous details. A change is confirmed by email, and merchants may wait for up to 168 hours after it. After a change in the portal, or with a key that a person made less than 72 hours ago, nobody pays for 72 hours (`detailsCooldownUntil`), and the email has a link that brings the previous details back. The first details wait for nobody.',
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

/** For whoever has the mail, whether they are signed in or not. */
export const restorePayoutInfoRoutes = [
  operation({
    id: 'restorePayoutInfo',
    method: 'POST',
    path: '/payout-info/restore',
    tag: 'Me',
    summary: 'Bring the previous payout details back',
    description:
      'With the link of the email about changed payout details, once, until `detailsCooldownUntil`: brings back the details before the first change that still waits. Signs the person out everywhere, removes the passkeys and revokes the API keys that they added from 72 hours before that change on.',
    access: 'public',
    errors: ['NOT_FOUND'],
    body: restorePayoutInfoBody,
    reply: restoredPayoutInfoSchema,
    example: { data: { success: true }, body: { token: 'rJ2mUa7Yw0cQkq3ZxN5v8tB1pLdE6gHs9KfXoVbTnWc' } },
    handle: ({ ctx, body }) => restorePayoutInfo(ctx, body),
  }),
];
