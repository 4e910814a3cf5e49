import { csvUrlSchema } from '../../platform/http/csv-download.ts';
import { operation } from '../../platform/http/operation.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { findRunActions } from './available-actions.queries.ts';
import { exportPayoutRun, listPayoutRunItems } from './payout-run-items.queries.ts';
import * as examples from './payout-runs.examples.ts';
import { getPayoutRun, listPayoutRuns, listRunFees } from './payout-runs.queries.ts';
import * as wire from './payout-runs.wire.ts';
import { createPayoutRun } from './use-cases/create-payout-run.ts';
import * as runs from './use-cases/payout-run.ts';

const tag = 'Payout Runs';
const read = { tag, access: { keys: ['merchant'], scope: 'payouts:read' } } as const;
const readOne = { ...read, params: idParams, errors: ['NOT_FOUND', 'FORBIDDEN'] } as const;
const write = {
  tag,
  access: { keys: ['merchant'], scope: 'payouts:write' },
  reply: wire.payoutRunDetailRecordSchema,
  errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
} as const;
const action = { ...write, params: idParams } as const;

export const payoutRunRoutes = [
  operation({
    id: 'createPayoutRun',
    method: 'POST',
    path: '/payout-runs',
    ...write,
    summary: 'Draft a payout run',
    description:
      'Computes whom a run would pay what, by the rules of `POST /payouts`, and whom not with the reason. Nothing is promised: confirm the draft to pay. It pays what is payable now and nothing that is earned later, nobody more than the draft shows, and only to the payout details of the draft. At most 10,000 affiliates, and one unfinished run for a program and method: a run of all programs or all methods overlaps with each. A draft expires after 7 days. If everybody would be left out, there is no draft: 409 `NOBODY_TO_PAY` counts the affiliates by reason in `details.reasons`.',
    body: wire.createPayoutRunBody,
    status: 201,
    reasons: ['RUN_TOO_LARGE', 'RUN_IN_PROGRESS', 'NOBODY_TO_PAY', 'NOTHING_PAYABLE'],
    example: { data: examples.draftExample, body: examples.createPayoutRunExample },
    handle: async ({ ctx, body }) => getPayoutRun(ctx, (await createPayoutRun(ctx, body)).id),
  }),
  operation({
    id: 'listPayoutRuns',
    method: 'GET',
    path: '/payout-runs',
    ...read,
    summary: 'List payout runs',
    description: 'Returns runs, newest first.',
    query: wire.payoutRunsQuery,
    paged: true,
    reply: wire.payoutRunRecordSchema,
    example: { data: [examples.payoutRunRecordExample] },
    handle: ({ ctx, query }) => listPayoutRuns(ctx, query),
  }),
  operation({
    id: 'getPayoutRun',
    method: 'GET',
    path: '/payout-runs/{id}',
    ...readOne,
    summary: 'Retrieve a payout run',
    description: 'Returns the run with its totals by currency, rail and result, and how far it is.',
    reply: wire.payoutRunPageSchema,
    example: { data: examples.runningPageExample },
    handle: async ({ ctx, params }) => ({
      ...(await getPayoutRun(ctx, params.id)),
      fees: await listRunFees(ctx, params.id),
      availableActions: await findRunActions(ctx, params.id),
    }),
  }),
  operation({
    id: 'listPayoutRunItems',
    method: 'GET',
    path: '/payout-runs/{id}/items',
    ...readOne,
    summary: 'List whom a payout run pays, and whom not',
    description:
      'Returns one item for each affiliate with a payable balance when the draft was made. `left_out` items say why in `reason`.',
    query: wire.payoutRunItemsQuery,
    paged: true,
    reply: wire.payoutRunItemSchema,
    example: { data: [examples.payoutRunItemExample] },
    handle: ({ ctx, params, query }) => listPayoutRunItems(ctx, params.id, query),
  }),
  operation({
    id: 'exportPayoutRun',
    method: 'GET',
    path: '/payout-runs/{id}/export',
    ...readOne,
    summary: 'Export a payout run as CSV',
    description:
      'Returns a URL of a file with one row for each item, for the books. Columns: runId, affiliateId, code, email, program, planned, amount, paid, currency, method, rail, destination, result, reason, payoutId. `planned` is what the draft showed, `amount` adds up to the `totals` of the run, and `paid` is what is paid now: empty for a payout that is pending, failed or came back. Amounts are decimal, destinations masked.',
    query: wire.payoutRunExportQuery,
    reply: csvUrlSchema,
    reasons: ['EXPORT_TOO_LARGE'],
    example: { data: examples.payoutRunExportExample },
    handle: ({ ctx, params }) => exportPayoutRun(ctx, params.id),
  }),
  operation({
    id: 'removePayoutRunItem',
    method: 'DELETE',
    path: '/payout-runs/{id}/items/{affiliateId}',
    ...write,
    params: wire.payoutRunItemParams,
    summary: 'Take an affiliate out of a draft',
    description: 'The item stays as `left_out` with the reason `TAKEN_OUT`. One that is left out already does not change.',
    reasons: ['NOT_DRAFT'],
    example: { data: { ...examples.draftExample, total: { eur: 12_500 }, items: 1 } },
    handle: async ({ ctx, params }) => getPayoutRun(ctx, (await runs.removePayoutRunItem(ctx, params)).id),
  }),
  operation({
    id: 'confirmPayoutRun',
    method: 'POST',
    path: '/payout-runs/{id}/confirm',
    ...action,
    summary: 'Confirm a payout run',
    description:
      'Send `total` and `items` as you saw them: if the draft has other figures by now, nothing happens (409 `RUN_CHANGED`). The run starts or, from `payoutApprovalThreshold` on, waits for a second actor. Its total counts for `payoutDailyLimit` until the run is final.',
    body: wire.confirmPayoutRunBody,
    reasons: ['NOT_DRAFT', 'RUN_CHANGED', 'DAILY_LIMIT', 'RAIL_ACCOUNT_FAILING'],
    example: { data: examples.awaitingApprovalExample, body: examples.confirmPayoutRunExample },
    handle: async ({ ctx, params, body }) => getPayoutRun(ctx, (await runs.confirmPayoutRun(ctx, { ...body, id: params.id })).id),
  }),
  operation({
    id: 'approvePayoutRun',
    method: 'POST',
    path: '/payout-runs/{id}/approve',
    freshCheck: 'passkey',
    ...action,
    summary: 'Approve a payout run',
    description:
      'Starts a run that waits for approval. Only a second actor may: nobody who drafted, edited or confirmed it, who is paid by it, or whose key is newer than the draft (409 `SAME_ACTOR`). To refuse it, cancel it.',
    reasons: ['SAME_ACTOR', 'ILLEGAL_TRANSITION'],
    example: { data: examples.approvedExample },
    handle: async ({ ctx, params }) => getPayoutRun(ctx, (await runs.approvePayoutRun(ctx, params)).id),
  }),
  operation({
    id: 'pausePayoutRun',
    method: 'POST',
    path: '/payout-runs/{id}/pause',
    ...action,
    summary: 'Pause a payout run',
    description: 'No further payout is created, and none that was created is begun. What was sent goes on.',
    reasons: ['ILLEGAL_TRANSITION'],
    example: { data: examples.pausedExample },
    handle: async ({ ctx, params }) => getPayoutRun(ctx, (await runs.pausePayoutRun(ctx, params)).id),
  }),
  operation({
    id: 'resumePayoutRun',
    method: 'POST',
    path: '/payout-runs/{id}/resume',
    ...action,
    summary: 'Resume a payout run',
    description: 'A paused run goes on where it was paused. Any other is 409 `ILLEGAL_TRANSITION`.',
    reasons: ['ILLEGAL_TRANSITION'],
    example: { data: examples.runningExample },
    handle: async ({ ctx, params }) => getPayoutRun(ctx, (await runs.resumePayoutRun(ctx, params)).id),
  }),
  operation({
    id: 'cancelPayoutRun',
    method: 'POST',
    path: '/payout-runs/{id}/cancel',
    ...action,
    summary: 'Cancel a payout run',
    description:
      'No further payout is created, and payouts of the run without an attempt fail as `cancelled` within seconds. What is being paid goes on. Cancelling a run that waits for approval refuses it.',
    reasons: ['ILLEGAL_TRANSITION'],
    example: { data: examples.cancelledExample },
    handle: async ({ ctx, params }) => getPayoutRun(ctx, (await runs.cancelPayoutRun(ctx, params)).id),
  }),
];
