import { eventDefinition, type PayloadsOf } from '../../platform/event-definition.ts';
import {
  type PayoutRunDetail,
  type PayoutRunDetailRecord,
  type PayoutRunItemView,
  type PayoutRunPage,
  type PayoutRunRecord,
  type PayoutRunView,
  payoutRunDetailSchema,
} from './payout-runs.wire.ts';

export const payoutRunExample: PayoutRunView = {
  id: '0198f1c2-c3d4-7a11-8b22-3c4d5e6f7a81',
  name: 'January',
  programId: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e41',
  method: null,
  minAmount: null,
  executionDate: null,
  status: 'draft',
  cancelReason: null,
  total: { eur: 25_000 },
  items: 2,
  createdBy: 'key:0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e11',
  createdAt: '2026-02-01T09:00:00.000Z',
  confirmedBy: null,
  confirmedAt: null,
  approvedBy: null,
  approvedAt: null,
  pausedAt: null,
  finishedAt: null,
};

const draft = {
  state: 'draft',
  reason: null,
  waitsFor: 'finance',
  until: '2026-02-08T09:00:00.000Z',
  next: 'confirm',
} as const;

export const payoutRunRecordExample: PayoutRunRecord = { ...payoutRunExample, situation: draft };

const planned = { currency: 'eur', rail: 'sandbox', result: 'planned', reason: null, items: 2, amount: 25_000, fee: 0 } as const;
const leftOut = {
  currency: 'eur',
  rail: 'manual',
  result: 'left_out',
  reason: 'BELOW_THRESHOLD',
  items: 1,
  amount: 1_200,
  fee: 0,
} as const;

export const draftExample: PayoutRunDetailRecord = {
  ...payoutRunRecordExample,
  totals: [leftOut, planned],
  progress: { waiting: 2, open: 0, final: 0, perMinute: null, expectedEndAt: null },
  digest: null,
  notHandedOut: 0,
};

export const runningExample: PayoutRunDetailRecord = {
  ...draftExample,
  status: 'running',
  situation: { ...draft, state: 'running', waitsFor: 'payouts', until: null, next: null },
  confirmedBy: payoutRunExample.createdBy,
  confirmedAt: '2026-02-01T09:05:00.000Z',
  totals: [
    leftOut,
    { ...planned, result: 'completed', items: 1, amount: 12_500, fee: 25 },
    { ...planned, items: 1, amount: 12_500 },
  ],
  progress: { waiting: 1, open: 0, final: 1, perMinute: 1, expectedEndAt: '2026-02-01T09:07:00.000Z' },
};

export const awaitingApprovalExample: PayoutRunDetailRecord = {
  ...draftExample,
  status: 'awaiting_approval',
  situation: { ...draft, state: 'to_approve', waitsFor: 'approver', until: '2026-02-08T09:05:00.000Z', next: 'approve' },
  confirmedBy: runningExample.confirmedBy,
  confirmedAt: runningExample.confirmedAt,
};

export const runningPageExample: PayoutRunPage = {
  ...runningExample,
  fees: [{ currency: 'eur', amount: 25, returned: 0 }],
  availableActions: [
    { action: 'confirm', refusedBecause: 'NOT_DRAFT' },
    { action: 'approve', refusedBecause: 'ILLEGAL_TRANSITION' },
    { action: 'pause', refusedBecause: null },
    { action: 'resume', refusedBecause: 'ILLEGAL_TRANSITION' },
    { action: 'cancel', refusedBecause: null },
  ],
};

export const approvedExample: PayoutRunDetailRecord = {
  ...runningExample,
  approvedBy: 'key:0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e12',
  approvedAt: '2026-02-01T09:06:00.000Z',
};
export const pausedExample: PayoutRunDetailRecord = {
  ...runningExample,
  status: 'paused',
  situation: { ...draft, state: 'paused', until: null, next: 'resume' },
  pausedAt: '2026-02-01T09:06:00.000Z',
  progress: { ...runningExample.progress, perMinute: null, expectedEndAt: null },
};

export const cancelledExample: PayoutRunDetailRecord = {
  ...draftExample,
  status: 'cancelled',
  situation: { state: 'cancelled', reason: 'person', waitsFor: 'nobody', until: null, next: null },
  cancelReason: 'person',
  finishedAt: '2026-02-01T09:06:00.000Z',
  totals: [leftOut, { ...planned, result: 'left_out', reason: 'RUN_CANCELLED' }],
  progress: { ...draftExample.progress, waiting: 0 },
};

const { situation: _, ...running } = runningExample;

const completedExample: PayoutRunDetail = {
  ...running,
  status: 'completed',
  finishedAt: '2026-02-01T09:07:10.000Z',
  totals: [leftOut, { ...planned, result: 'completed', fee: 50 }],
  progress: { waiting: 0, open: 0, final: 2, perMinute: null, expectedEndAt: null },
};

export const payoutRunItemExample: PayoutRunItemView = {
  affiliateId: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e31',
  code: 'ada',
  email: 'ada@example.com',
  programId: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e41',
  currency: 'eur',
  amount: 12_500,
  rail: 'sandbox',
  destination: 'a***@example.com',
  result: 'planned',
  reason: null,
  railReason: null,
  payoutId: null,
  paidAmount: null,
};

export const createPayoutRunExample = { programId: payoutRunItemExample.programId, name: 'January' };
export const confirmPayoutRunExample = { total: payoutRunExample.total, items: payoutRunExample.items };
export const payoutRunExportExample = {
  url: 'https://tributary.example/files/exports/payout-run.csv?token=eyJwYXlvdXQtcnVuIl0',
  expiresAt: '2026-02-01T09:15:00.000Z',
};

export const PAYOUT_RUN_EVENTS = {
  'payout_run.completed': eventDefinition(
    'All payouts of a run are final: `totals` says what became of them.',
    payoutRunDetailSchema,
    completedExample,
  ),
};

declare module '../../contracts/events.ts' {
  interface EventPayloads extends PayloadsOf<typeof PAYOUT_RUN_EVENTS> {}
}
