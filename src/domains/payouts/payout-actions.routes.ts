import { operation } from '../../platform/http/operation.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { payoutInstructionsSchema } from './manual/payout-instructions.wire.ts';
import * as examples from './payouts.examples.ts';
import {
  completePayoutBody,
  manualDecisionBody,
  payoutSchema,
  resolvePayoutBody,
  returnPayoutBody,
  toPayout,
} from './payouts.wire.ts';
import { approvePayout } from './use-cases/approve-payout.ts';
import { cancelPayout } from './use-cases/cancel-payout.ts';
import { completePayout } from './use-cases/complete-payout.ts';
import { failPayout } from './use-cases/fail-payout.ts';
import { getPayoutInstructions } from './use-cases/get-payout-instructions.ts';
import { processPayout } from './use-cases/process-payout.ts';
import { resolvePayout } from './use-cases/resolve-payout.ts';
import { retryPayout } from './use-cases/retry-payout.ts';
import { returnPayout } from './use-cases/return-payout.ts';

/** Shared by all operations that write a payout. */
export const payoutWrite = {
  tag: 'Payouts',
  access: { keys: ['merchant'], scope: 'payouts:write' },
  reply: payoutSchema,
  errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
} as const;

export const CREATION_REASONS = [
  'AFFILIATE_BLOCKED',
  'PAYOUTS_PAUSED',
  'UNRESOLVED_PAYOUT',
  'PAYOUT_IN_FLIGHT',
  'NOTHING_PAYABLE',
  'BELOW_THRESHOLD',
  'DAILY_LIMIT',
  'PAYOUT_DETAILS_MISSING',
  'DETAILS_JUST_CHANGED',
  'DETAILS_REJECTED',
  'RAIL_CANNOT_PAY',
] as const;

const action = { ...payoutWrite, params: idParams } as const;

const instructions = {
  ...action,
  audited: true,
  reply: payoutInstructionsSchema,
  description:
    'Recipient, amount and reference of a manual payout that is processing or completed. Contains bank data in full: each call is recorded in the timeline.',
};

export const payoutActionRoutes = [
  operation({
    id: 'approvePayout',
    method: 'POST',
    path: '/payouts/{id}/approve',
    freshCheck: 'passkey',
    ...action,
    summary: 'Approve a payout',
    description:
      'For a pending payout with `approvalRequiredAt`, which is not paid before: within 7 days, else it fails with `approval_expired`. Not with a key of the line that created it (a key, those that it made and the one that made it; a person with their keys), with a newer key, or by who is paid. To refuse it, cancel it. The timeline names the amount and the masked destination.',
    reasons: ['APPROVAL_NOT_REQUIRED', 'ALREADY_DECIDED', 'SAME_ACTOR'],
    example: { data: examples.approvedPayoutExample },
    handle: async ({ ctx, params }) => toPayout(await approvePayout(ctx, params)),
  }),
  operation({
    id: 'processPayout',
    method: 'POST',
    path: '/payouts/{id}/process',
    ...action,
    summary: 'Mark a manual payout as in progress',
    description: 'Only on the manual rail: you are about to pay. From then on the payout can no longer be cancelled.',
    reasons: [
      'RAIL_NOT_MANUAL',
      'APPROVAL_REQUIRED',
      'UNRESOLVED_PAYOUT',
      'RUN_PAUSED',
      'PAYMENTS_HELD',
      'PAYEE_HELD',
      'ILLEGAL_TRANSITION',
    ],
    example: { data: examples.processingPayoutExample },
    handle: async ({ ctx, params }) => toPayout(await processPayout(ctx, params)),
  }),
  operation({
    id: 'getPayoutInstructions',
    method: 'GET',
    path: '/payouts/{id}/instructions',
    freshCheck: 'code',
    ...instructions,
    summary: 'Retrieve payment instructions',
    reasons: ['RAIL_NOT_MANUAL', 'NOT_PROCESSING', 'RUN_PAUSED', 'PAYMENTS_HELD'],
    example: { data: examples.payoutInstructionsExample },
    handle: ({ ctx, params }) => getPayoutInstructions(ctx, params),
  }),
  operation({
    id: 'completePayout',
    method: 'POST',
    path: '/payouts/{id}/complete',
    ...action,
    summary: 'Mark a payout as paid',
    description:
      'On the manual rail, when you have paid. On other rails only for a payout with `needsAttention`, with a `note` that says how you know.',
    body: completePayoutBody,
    reasons: ['RAIL_NOT_MANUAL', 'ILLEGAL_TRANSITION'],
    example: { data: examples.completedPayoutExample, body: examples.completePayoutExample },
    handle: async ({ ctx, params, body }) => toPayout(await completePayout(ctx, { ...params, ...body })),
  }),
  operation({
    id: 'failPayout',
    method: 'POST',
    path: '/payouts/{id}/fail',
    ...action,
    summary: 'Mark a payout as failed',
    description:
      'On the manual rail, when you could not pay. On other rails only for a payout with `needsAttention`, with a `note`. The amount becomes payable again: never mark a slow payout as failed. Money that came back after a payment is `return`.',
    body: manualDecisionBody,
    reasons: ['RAIL_NOT_MANUAL', 'RAIL_ACCEPTED', 'ALREADY_COMPLETED', 'ILLEGAL_TRANSITION'],
    example: { data: examples.failedPayoutExample, body: { note: 'Rejected by the bank' } },
    handle: async ({ ctx, params, body }) => toPayout(await failPayout(ctx, { ...params, ...body })),
  }),
  operation({
    id: 'returnPayout',
    method: 'POST',
    path: '/payouts/{id}/return',
    ...action,
    summary: 'Record that a payment came back',
    description:
      'For a completed payout. The amount becomes payable again: at once on the manual rail; on other rails once the provider confirms it, or with `evidence`, which a second actor has to give where you have a `payoutApprovalThreshold`. While the provider does not confirm it, the payout has `needsAttention` and stays completed: give `evidence`, or withdraw it by `resolve` with the outcome `paid`.',
    body: returnPayoutBody,
    reasons: ['RETURN_REPORTED', 'SAME_ACTOR', 'UNRESOLVED_PAYOUT', 'ILLEGAL_TRANSITION'],
    example: { data: examples.returnedPayoutExample, body: examples.returnPayoutExample },
    handle: async ({ ctx, params, body }) => toPayout(await returnPayout(ctx, { ...params, ...body })),
  }),
  operation({
    id: 'resolvePayout',
    method: 'POST',
    path: '/payouts/{id}/resolve',
    ...action,
    summary: 'Resolve a payout reported as both paid and failed',
    description:
      'For a payout with `needsAttention` that the provider reported as both paid and failed: state whether the affiliate got the money, with a `note` that says how you know. The balance is corrected accordingly. The outcome `paid` also withdraws a return that the provider does not confirm.',
    body: resolvePayoutBody,
    reasons: ['NOTHING_TO_RESOLVE'],
    example: { data: examples.resolvedPayoutExample, body: examples.resolvePayoutExample },
    handle: async ({ ctx, params, body }) => toPayout(await resolvePayout(ctx, { ...params, ...body })),
  }),
  operation({
    id: 'cancelPayout',
    method: 'POST',
    path: '/payouts/{id}/cancel',
    ...action,
    summary: 'Cancel a pending payout',
    description:
      'Before the first payment attempt, also to refuse an approval: the amount becomes payable again. Later only while the provider cancels the payment, as PayPal does until its payee claims it: the payout stays `processing`, the provider is asked, and its answer counts. Asked again meanwhile, nothing changes.',
    reasons: ['ATTEMPT_STARTED', 'ILLEGAL_TRANSITION'],
    example: { data: examples.cancelledPayoutExample },
    handle: async ({ ctx, params }) => toPayout(await cancelPayout(ctx, params)),
  }),
  operation({
    id: 'retryPayout',
    method: 'POST',
    path: '/payouts/{id}/retry',
    ...action,
    summary: 'Retry a failed payout',
    description:
      'Creates a new payout with `retryOf`, under the rules of `POST /payouts`: its amount is computed anew, so it may be another one than that of the failed payout. Once per failed payout.',
    status: 201,
    reasons: ['NOT_FAILED', 'ALREADY_RETRIED', ...CREATION_REASONS],
    example: { data: examples.retriedPayoutExample },
    handle: async ({ ctx, params }) => toPayout(await retryPayout(ctx, params)),
  }),
];
