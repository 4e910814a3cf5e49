import { eventDefinition, type PayloadsOf } from '../../platform/event-definition.ts';
import type { MyPayoutItemView, PayoutItemView } from './create/payout-items.wire.ts';
import type { MyPayoutView } from './lists/my-payouts.wire.ts';
import type { PayoutStats } from './lists/payout-list.wire.ts';
import type { PayoutOverview } from './lists/payout-overview.wire.ts';
import type { PayoutInstructions } from './manual/payout-instructions.wire.ts';
import { type PayoutView, type PendingAffiliateView, payoutResultSchema, payoutSchema } from './payouts.wire.ts';
import type { TimelineEntryView } from './timeline.wire.ts';

export const payoutExample: PayoutView = {
  id: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e51',
  affiliateId: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e31',
  programId: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e41',
  affiliateCode: 'ada',
  affiliateName: 'Ada Lovelace',
  programName: 'Acme Partners',
  paymentReference: 'ACM-1042',
  amount: 12500,
  currency: 'eur',
  status: 'pending',
  method: 'paypal',
  rail: 'sandbox',
  notes: null,
  retryOf: null,
  payoutRunId: null,
  needsAttention: false,
  reviewReason: null,
  failureCode: null,
  railReason: null,
  fee: null,
  fees: [],
  bankReference: null,
  executedAt: null,
  accountEnteredBy: null,
  accountEnteredAt: null,
  approvalRequiredAt: null,
  approvedBy: null,
  approvedAt: null,
  createdAt: '2026-01-15T09:30:00.000Z',
  processingAt: null,
  completedAt: null,
  paidAt: null,
  failedAt: null,
};

export const payoutExportExample = {
  url: 'https://tributary.example/files/exports/payouts.csv?token=eyJwYXlvdXRzIl0',
  expiresAt: '2026-01-15T09:40:00.000Z',
};

const { affiliateId, programId } = payoutExample;

export const myPayoutExample: MyPayoutView = {
  id: payoutExample.id,
  affiliateId,
  programId,
  paymentReference: payoutExample.paymentReference,
  amount: 12500,
  currency: 'eur',
  status: 'completed',
  method: 'paypal',
  failureCode: null,
  createdAt: payoutExample.createdAt,
  processingAt: '2026-01-16T10:00:00.000Z',
  completedAt: '2026-01-16T10:05:00.000Z',
  paidAt: '2026-01-16T10:03:00.000Z',
  failedAt: null,
  paidOn: '2026-01-16',
  situation: { state: 'paid', reason: null, next: null },
};

export const myPayoutItemExample: MyPayoutItemView = {
  id: '0198f1c2-b1d0-7e22-9a3f-6c0d5e8b7a14',
  type: 'commission',
  amount: 2_450,
  currency: 'eur',
  included: true,
  conversionId: '0198f1c2-b1d0-7e22-9a3f-6c0d5e8b7a14',
  externalSaleId: 'order_1042',
  saleAmount: 9_800,
  earlierPayoutId: null,
  createdAt: '2025-12-16T10:00:00.000Z',
};

export const payoutItemExample: PayoutItemView = { ...myPayoutItemExample, includedIn: payoutExample.id, note: null };

export const createPayoutExample = { affiliateId, programId, method: 'paypal' };

export const approvedPayoutExample: PayoutView = {
  ...payoutExample,
  approvalRequiredAt: payoutExample.createdAt,
  approvedBy: 'key:0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e12',
  approvedAt: '2026-01-15T11:00:00.000Z',
};

export const processingPayoutExample: PayoutView = {
  ...payoutExample,
  rail: 'manual',
  status: 'processing',
  processingAt: '2026-01-16T10:00:00.000Z',
};

export const completedPayoutExample: PayoutView = {
  ...processingPayoutExample,
  status: 'completed',
  bankReference: 'SCT 2026-4711',
  executedAt: '2026-01-16T10:03:00.000Z',
  completedAt: '2026-01-16T10:05:00.000Z',
  paidAt: '2026-01-16T10:03:00.000Z',
};

const { bankReference, executedAt } = completedPayoutExample;
export const completePayoutExample = { note: 'Paid from the main account', bankReference, executedAt };

export const returnPayoutExample = { note: 'The bank sent it back: account closed', occurredAt: '2026-01-18T07:30:00.000Z' };

export const returnedPayoutExample: PayoutView = {
  ...completedPayoutExample,
  status: 'failed',
  failureCode: 'returned',
  failedAt: '2026-01-18T08:00:00.000Z',
};

export const reviewedPayoutExample: PayoutView = {
  ...payoutExample,
  status: 'processing',
  needsAttention: true,
  reviewReason: 'unknown_too_long',
  processingAt: '2026-01-16T10:00:00.000Z',
};

export const failedPayoutExample: PayoutView = {
  ...processingPayoutExample,
  status: 'failed',
  failureCode: 'marked_failed',
  failedAt: '2026-01-16T10:05:00.000Z',
};

export const cancelledPayoutExample: PayoutView = {
  ...payoutExample,
  status: 'failed',
  failureCode: 'cancelled',
  failedAt: '2026-01-15T09:45:00.000Z',
};

export const resolvePayoutExample = { outcome: 'not_paid', note: 'The bank confirmed that the transfer was not executed' };

export const resolvedPayoutExample: PayoutView = {
  ...payoutExample,
  status: 'failed',
  failureCode: 'resolved_not_paid',
  processingAt: '2026-01-16T10:00:00.000Z',
  completedAt: '2026-01-16T10:05:00.000Z',
  paidAt: '2026-01-16T10:05:00.000Z',
  failedAt: '2026-01-18T08:00:00.000Z',
};

export const retriedPayoutExample: PayoutView = { ...payoutExample, retryOf: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e52' };

export const payoutInstructionsExample: PayoutInstructions = {
  payoutId: payoutExample.id,
  status: 'processing',
  programName: 'Partners',
  affiliateCode: 'ada',
  amount: 12500,
  amountDecimal: '125.00',
  currency: 'eur',
  method: 'bank_transfer',
  recipient: {
    paypalEmail: null,
    bankIban: 'DE89370400440532013000',
    bankBic: 'COBADEFFXXX',
    bankAccountHolder: 'Ada Example',
  },
  reference: payoutExample.paymentReference,
};

export const timelineEntryExample: TimelineEntryView = {
  id: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e61',
  at: payoutExample.createdAt,
  type: 'created',
  description: 'Payout created',
  actor: 'key:0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e11',
  from: null,
  to: 'pending',
  attempt: null,
  outcome: null,
  railReference: null,
  reason: null,
  note: null,
  reminder: null,
  times: 1,
  lastAt: payoutExample.createdAt,
  workflowId: null,
  runId: null,
};

export const pendingAffiliateExample: PendingAffiliateView = {
  affiliateId,
  email: 'ada@example.com',
  name: 'Ada',
  code: 'ada',
  programId,
  programName: 'Partners',
  payoutMethod: 'paypal',
  paypalEmail: 'ada@example.com',
  bankIban: null,
  pendingAmount: 12500,
  heldAmount: 0,
  held: { dispute: 0, flag: 0 },
  heldUnapproved: { dispute: 0, flag: 0 },
  currency: 'eur',
  threshold: 5000,
  meetsThreshold: true,
  commissionCount: 3,
  hasPayoutMethod: true,
  blocked: false,
  payoutsPaused: false,
  detailsCooldownUntil: null,
  detailsRejected: null,
  reason: null,
};

const totals = { totalPaid: 12500, totalPending: 0, totalFailed: 0, count: 1 };

export const payoutOverviewExample: PayoutOverview = {
  ready: [{ currency: 'eur', amount: 37_500, count: 3 }],
  isReadyCapped: false,
  notStarted: [{ currency: 'eur', amount: 12_500, count: 1 }],
  processing: [],
};

export const payoutStatsExample: PayoutStats = { ...totals, currency: 'eur', byCurrency: [{ currency: 'eur', ...totals }] };

export const PAYOUT_EVENTS = {
  'payout.created': eventDefinition('A payout was created.', payoutSchema, payoutExample),
  'payout.processing': eventDefinition('The payment of a payout started.', payoutSchema, processingPayoutExample),
  'payout.completed': eventDefinition('A payout was paid.', payoutResultSchema, completedPayoutExample),
  'payout.failed': eventDefinition(
    'A payout failed, was canceled, or was returned after it was paid.',
    payoutResultSchema,
    failedPayoutExample,
  ),
  'payout.returned': eventDefinition(
    'The money of a paid payout came back. `payout.failed` is sent too.',
    payoutSchema,
    returnedPayoutExample,
  ),
  'payout.needs_attention': eventDefinition(
    'A payout waits for a decision of a person: `reviewReason` says why. You get an email, too.',
    payoutSchema,
    reviewedPayoutExample,
  ),
};

declare module '../../contracts/events.ts' {
  interface EventPayloads extends PayloadsOf<typeof PAYOUT_EVENTS> {}
}
