import { z } from 'zod';
import { csvUrlSchema } from '../../platform/http/csv-download.ts';
import { resolveDateRange } from '../../platform/http/date-range.ts';
import type { InboundWebhook } from '../../platform/http/inbound-webhook.ts';
import { operation } from '../../platform/http/operation.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { pageUrlExample, pageUrlSchema } from '../../platform/http/signed-page.ts';
import { withGivenTimes } from '../given-times.ts';
import { listPayoutItems } from './create/payout-items.queries.ts';
import { payoutItemSchema, payoutItemsQuery } from './create/payout-items.wire.ts';
import { exportPayouts } from './lists/payout-export.queries.ts';
import { listPayouts } from './lists/payout-list.queries.ts';
import * as lists from './lists/payout-list.wire.ts';
import { getPayoutOverview } from './lists/payout-overview.queries.ts';
import { payoutOverviewSchema } from './lists/payout-overview.wire.ts';
import { listPendingPayouts } from './lists/pending-payouts.queries.ts';
import { findAvailableActions } from './machine/available-actions.ts';
import { CREATION_REASONS, payoutActionRoutes, payoutWrite } from './payout-actions.routes.ts';
import { payoutDetailExample, payoutRecordExample } from './payout-record.examples.ts';
import { payoutDetailSchema, payoutRecordSchema } from './payout-record.wire.ts';
import * as examples from './payouts.examples.ts';
import { findPaymentFacts, getPayout, getPayoutStats, getPayoutTimeline } from './payouts.queries.ts';
import * as wire from './payouts.wire.ts';
import type { Rails } from './rails/rails.ts';
import {
  railNotificationExample,
  railNotificationResultSchema,
  sandboxNotificationSchema,
} from './rails/sandbox-notification.ts';
import { getPayoutRemittance } from './remittance/remittance.queries.ts';
import { timelineEntrySchema, timelineQuery } from './timeline.wire.ts';
import { createPayout } from './use-cases/create-payout.ts';
import { receiveAccountNotification } from './use-cases/receive-account-notification.ts';
import { receiveRailNotification } from './use-cases/receive-rail-notification.ts';

const tag = 'Payouts';
const read = { tag, access: { keys: ['merchant'], scope: 'payouts:read' } } as const;
const readOne = { ...read, params: idParams, errors: ['NOT_FOUND', 'FORBIDDEN'] } as const;

export const payoutRoutes = [
  operation({
    id: 'listPayouts',
    method: 'GET',
    path: '/payouts',
    ...read,
    summary: 'List payouts',
    description:
      'Returns the payouts of all your programs, newest first. With `paidFrom` or `paidTo`, those that were paid then, the last paid first; what came back later is `failed`.',
    query: lists.payoutListQuery,
    paged: true,
    reply: payoutRecordSchema,
    example: { data: [payoutRecordExample] },
    handle: async ({ ctx, query }) => listPayouts(ctx, await withGivenTimes(ctx, resolveDateRange(query))),
  }),
  operation({
    id: 'exportPayouts',
    method: 'GET',
    path: '/payouts/export',
    ...read,
    summary: 'Export payouts as CSV',
    description:
      "Returns a URL of a file with one row for each payout that the filters select, in the order of the list, at most 100,000. Columns: payoutId, code, name, program, gross, fee, currency, rail, reference, status, paid, returned, retryOf, recorded. Amounts are decimal, times are in your time zone; `fee` is what the rail charged and did not give back, empty while it reports none. `reference` is the bank's or the rail's, `paid` when it was paid and `recorded` when that was recorded here, `returned` when money that was paid came back.",
    query: lists.payoutExportQuery,
    reply: csvUrlSchema,
    reasons: ['EXPORT_TOO_LARGE'],
    example: { data: examples.payoutExportExample },
    handle: async ({ ctx, query }) => exportPayouts(ctx, await withGivenTimes(ctx, resolveDateRange(query))),
  }),
  operation({
    id: 'createPayout',
    method: 'POST',
    path: '/payouts',
    ...payoutWrite,
    summary: 'Create a payout',
    description:
      "Pays an affiliate the whole payable balance in one program: approved, unpaid commissions and adjustments, less refunds, at most the 10,000 oldest commissions; the rest stays payable for the next payout. The payout begins as `pending`, and a workflow carries it out on the rail of the method. From `payoutApprovalThreshold` of the merchant on, it has `approvalRequiredAt` and waits for `POST /payouts/{id}/approve`. The affiliate's payout details are those at this moment.",
    body: wire.createPayoutBody,
    status: 201,
    reasons: CREATION_REASONS,
    example: { data: examples.payoutExample, body: examples.createPayoutExample },
    handle: async ({ ctx, body }) => wire.toPayout(await createPayout(ctx, body)),
  }),
  operation({
    id: 'listPendingPayouts',
    method: 'GET',
    path: '/payouts/pending',
    ...read,
    summary: 'List affiliates with a payable balance',
    description:
      'Returns affiliates with a payable balance, whether or not they can be paid yet, and those of whom a dispute or a flag holds all. Affiliates of whom everything is still in its hold period or being screened are left out, blocked ones among them: `GET /conversions?held=true` lists what waits for a block or for screening. These are not payouts: see `GET /payouts`.',
    query: wire.pendingPayoutsQuery,
    paged: true,
    reply: wire.pendingAffiliateSchema,
    example: { data: [examples.pendingAffiliateExample] },
    handle: ({ ctx, query }) => listPendingPayouts(ctx, query),
  }),
  operation({
    id: 'getPayoutOverview',
    method: 'GET',
    path: '/payouts/overview',
    ...read,
    summary: 'Retrieve what is ready to pay and being paid',
    description:
      'What the console shows on its first page. Each figure adds up what a list returns; amounts are never summed across currencies.',
    reply: payoutOverviewSchema,
    example: { data: examples.payoutOverviewExample },
    handle: ({ ctx }) => getPayoutOverview(ctx),
  }),
  operation({
    id: 'getPayoutStats',
    method: 'GET',
    path: '/payouts/stats',
    tag,
    summary: 'Retrieve payout totals',
    description:
      'The totals at the top are in `currency`; amounts are never summed across currencies. With `paidFrom` or `paidTo`, they are of what was paid then, and `totalFailed` is what came back of it.',
    access: { keys: ['merchant'], scope: 'stats:read' },
    query: lists.payoutStatsQuery,
    reply: lists.payoutStatsSchema,
    example: { data: examples.payoutStatsExample },
    handle: async ({ ctx, query }) => getPayoutStats(ctx, await withGivenTimes(ctx, query)),
  }),
  operation({
    id: 'getPayout',
    method: 'GET',
    path: '/payouts/{id}',
    ...readOne,
    summary: 'Retrieve a payout',
    description:
      'Returns the current status, where the payout is now (`situation`) and what you can do about it (`availableActions`). The steps that led to it are in the timeline.',
    reply: payoutDetailSchema,
    example: { data: payoutDetailExample },
    handle: async ({ ctx, params }) => ({
      ...(await getPayout(ctx, params.id)),
      ...(await findPaymentFacts(ctx, params.id)),
      availableActions: await findAvailableActions(ctx, params.id),
    }),
  }),
  operation({
    id: 'getPayoutTimeline',
    method: 'GET',
    path: '/payouts/{id}/timeline',
    ...readOne,
    summary: 'Retrieve the timeline of a payout',
    description:
      'Returns everything that happened to the payout, oldest first: who, when, attempts, and what the provider reported.',
    query: timelineQuery,
    paged: true,
    reply: timelineEntrySchema,
    example: { data: [examples.timelineEntryExample] },
    handle: ({ ctx, params, query }) => getPayoutTimeline(ctx, params.id, query),
  }),
  operation({
    id: 'listPayoutItems',
    method: 'GET',
    path: '/payouts/{id}/items',
    ...readOne,
    summary: 'List what a payout consists of',
    description:
      'Returns the commissions of the payout, then its adjustments, the newest of each first. Their amounts add up to that of the payout.',
    query: payoutItemsQuery,
    paged: true,
    reply: payoutItemSchema,
    example: { data: [examples.payoutItemExample] },
    handle: ({ ctx, params, query }) => listPayoutItems(ctx, params.id, query),
  }),
  operation({
    id: 'getPayoutRemittance',
    method: 'GET',
    path: '/payouts/{id}/remittance',
    ...readOne,
    summary: 'Retrieve the remittance advice of a payout',
    description:
      'Returns the URL of a page for the browser and for print: who was paid by whom, when, for which commissions and adjustments, with the masked destination and the reference of the payment. It names the first 1,000 of them and adds up the rest. The page stays as it was when it was opened first. The email about the payment has a URL of the same page that works for 30 days.',
    reply: pageUrlSchema,
    reasons: ['NOT_COMPLETED'],
    example: { data: pageUrlExample },
    handle: ({ ctx, params }) => getPayoutRemittance(ctx, params.id),
  }),
  ...payoutActionRoutes,
];

export const payoutWebhooks = (rails: Rails): InboundWebhook[] => [
  {
    id: 'receiveRailNotification',
    path: '/api/integrations/rails/{rail}',
    tag: 'Payouts',
    summary: 'Receive a payout notification of a provider',
    description:
      'Called by the payout provider of a rail, not by merchants. The body is that of the provider; the sandbox provider is documented here. `recorded`: new, applied by the payout workflow. `repeated`: received before. `unknown_transfer`: no payout attempt has this key. `ignored`: of an unknown type.',
    params: { rail: 'Name of the rail that the provider belongs to, for example `sandbox`' },
    body: sandboxNotificationSchema,
    reply: railNotificationResultSchema,
    reasons: [],
    examples: { bodies: { 'transfer.paid': railNotificationExample }, data: { outcome: 'recorded' } },
    handle: ({ ctx, params, headers, rawBody }) =>
      receiveRailNotification(ctx, rails, { rail: params['rail'] ?? '', headers, rawBody }),
  },
  {
    id: 'receiveAccountNotification',
    path: '/api/integrations/rails/{rail}/{merchantId}',
    tag: 'Payouts',
    summary: 'Receive a payout notification of an account of a merchant',
    description:
      'Called by the provider of a rail whose merchants have accounts of their own. Body and signature are those of the provider. Outcomes are as for the account of the installation; `ignored` includes messages about anything else at the same account.',
    params: {
      rail: 'Name of the rail that the provider belongs to, for example `paypal`',
      merchantId: 'Id of the merchant whose account it is',
    },
    body: z.looseObject({}).describe('A message of the provider, in its format'),
    reply: railNotificationResultSchema,
    signature: 'own',
    reasons: [],
    examples: {
      bodies: { message: { id: 'WH-2W42680HY0685642H', event_type: 'PAYMENT.PAYOUTS-ITEM.SUCCEEDED' } },
      data: { outcome: 'recorded' },
    },
    handle: ({ ctx, params, ...message }) =>
      receiveAccountNotification(ctx, rails, { rail: params['rail'] ?? '', merchantId: params['merchantId'] ?? '', ...message }),
  },
];
