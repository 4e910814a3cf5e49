import { operation } from '../../platform/http/operation.ts';
import { idParams } from '../../platform/http/schemas.ts';
import * as examples from './pay-by-hand.examples.ts';
import * as wire from './pay-by-hand.wire.ts';
import { getPayoutRunFileUrls } from './use-cases/get-payout-run-file.ts';
import { importPayoutResults } from './use-cases/import-payout-results.ts';
import * as byHand from './use-cases/pay-run-by-hand.ts';

const ofRun = {
  tag: 'Payout Runs',
  access: { keys: ['merchant'], scope: 'payouts:write' },
  params: idParams,
  errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
} as const;
/** Payouts are worked on in transactions of their own, before the one of the request. */
const write = { ...ofRun, commits: true, isPartial: ({ remaining }: { remaining: number }) => remaining > 0 } as const;
const bulk = { ...write, reply: wire.bulkReportSchema } as const;

/** Recipients in clear. */
const handedOut = { ...ofRun, freshCheck: 'code', audited: true, commits: true } as const;

export const payByHandRoutes = [
  operation({
    id: 'getPayoutRunFile',
    method: 'GET',
    path: '/payout-runs/{id}/file',
    ...handedOut,
    summary: 'Retrieve payment files of a payout run',
    description:
      'The manual payouts of the run that are processing, as files for a bank or provider. They contain the recipients in clear: each call is recorded in the timeline of each payout in them. A payout is handed out once; send `again=true` if a file was lost before anybody paid from it.',
    query: wire.runFileQuery,
    reply: wire.runFileSchema,
    reasons: ['RUN_PAUSED', 'PAYMENTS_HELD'],
    example: { data: examples.runFilesExample },
    prepare: ({ ctx, params, query }) => getPayoutRunFileUrls(ctx, { ...params, ...query }),
    handle: async ({ prepared }) => prepared,
  }),
  operation({
    id: 'processRunPayouts',
    method: 'POST',
    path: '/payout-runs/{id}/process',
    ...bulk,
    summary: 'Mark the manual payouts of a run as in progress',
    description: 'All that are pending: you are about to pay them. From then on they can no longer be cancelled.',
    reasons: ['RUN_PAUSED'],
    example: { data: examples.processedExample },
    prepare: ({ ctx, params }) => byHand.processRunPayouts(ctx, params),
    handle: async ({ prepared }) => prepared,
  }),
  operation({
    id: 'completeRunPayouts',
    method: 'POST',
    path: '/payout-runs/{id}/complete',
    ...bulk,
    summary: 'Mark manual payouts of a run as paid',
    description:
      'Those of `payoutIds`, or those that `digest` names: the payouts that were processing when you read the run or its file. Everything you send is compared. If something differs, the response is 409 `RUN_CHANGED` and nothing changes. Otherwise, each payout is done or refused individually. Sending the request again continues with what is left.',
    body: wire.completeRunBody,
    reasons: ['RUN_CHANGED'],
    example: { data: examples.completedExample, body: { digest: examples.DIGEST, items: 2, total: { eur: 25_000 } } },
    prepare: ({ ctx, params, body }) => byHand.completeRunPayouts(ctx, { ...body, id: params.id }),
    handle: async ({ prepared }) => prepared,
  }),
  operation({
    id: 'failRunPayouts',
    method: 'POST',
    path: '/payout-runs/{id}/fail',
    ...bulk,
    summary: 'Mark manual payouts of a run as failed',
    description: 'When you could not pay them: their amounts become payable again. Each is done or refused by itself.',
    body: wire.failRunBody,
    reasons: [],
    example: { data: examples.failedExample, body: { payoutIds: [examples.PAYOUT_IDS[1]], note: 'Rejected by the bank' } },
    prepare: ({ ctx, params, body }) => byHand.failRunPayouts(ctx, { ...body, id: params.id }),
    handle: async ({ prepared }) => prepared,
  }),
  operation({
    id: 'returnRunPayouts',
    method: 'POST',
    path: '/payout-runs/{id}/return',
    ...bulk,
    summary: 'Record that payments of a run came back',
    description: 'For completed manual payouts: their amounts become payable again. Each is done or refused by itself.',
    body: wire.returnRunBody,
    reasons: [],
    example: { data: examples.failedExample, body: { payoutIds: [examples.PAYOUT_IDS[1]], note: 'Account closed' } },
    prepare: ({ ctx, params, body }) => byHand.returnRunPayouts(ctx, { ...body, id: params.id }),
    handle: async ({ prepared }) => prepared,
  }),
  operation({
    id: 'importPayoutResults',
    method: 'POST',
    path: '/payout-runs/{id}/results',
    ...write,
    reply: wire.resultsReportSchema,
    summary: 'Record the results of payments from a file',
    description:
      'A CSV file of what the bank or provider did. Each line marks a manual payout of the run as paid, failed or returned. A line without a result, or with fewer cells than the header, is refused. Each line is done or refused on its own: a reference or date that was unknown is added, one that contradicts what is known is refused, and a line that was imported before changes nothing.',
    body: wire.resultsBody,
    reasons: [],
    example: { data: examples.resultsExample, body: examples.resultsBodyExample },
    prepare: ({ ctx, params, body }) => importPayoutResults(ctx, { runId: params.id, csv: body.csv }),
    handle: async ({ prepared }) => prepared,
  }),
];
