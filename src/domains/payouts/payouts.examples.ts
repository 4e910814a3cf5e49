import { eventDefinition, type PayloadsOf } from '../../platform/event-definition.ts';
import { type PayoutView, payoutSchema } from './payouts.wire.ts';

export const payoutExample: PayoutView = {
  id: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e51',
  affiliateId: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e31',
  programId: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e41',
  amount: 12500,
  currency: 'eur',
  status: 'pending',
  method: 'paypal',
  rail: 'sandbox',
  notes: null,
  retryOf: null,
  needsAttention: false,
  failureCode: null,
  createdAt: '2026-01-15T09:30:00.000Z',
  processingAt: null,
  completedAt: null,
  failedAt: null,
};

const processingExample: PayoutView = { ...payoutExample, status: 'processing', processingAt: '2026-01-15T09:31:00.000Z' };

export const PAYOUT_EVENTS = {
  'payout.created': eventDefinition('A payout was created.', payoutSchema, payoutExample),
  'payout.processing': eventDefinition('The payment of a payout started.', payoutSchema, processingExample),
  'payout.completed': eventDefinition('A payout was paid.', payoutSchema, {
    ...processingExample,
    status: 'completed',
    completedAt: '2026-01-16T08:00:00.000Z',
  }),
  'payout.failed': eventDefinition('A payout failed, was canceled, or was returned after it was paid.', payoutSchema, {
    ...processingExample,
    status: 'failed',
    failedAt: '2026-01-16T08:00:00.000Z',
    failureCode: 'rail_refused',
  }),
};

declare module '../../contracts/events.ts' {
  interface EventPayloads extends PayloadsOf<typeof PAYOUT_EVENTS> {}
}
