import { operation } from '../../platform/http/operation.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { listPendingChanges } from './pending-changes.queries.ts';
import { type PendingChangeView, pendingChangeSchema, pendingChangesQuery } from './pending-changes.wire.ts';
import { approvePendingChange, cancelPendingChange } from './use-cases/decide-pending-change.ts';

const pending: PendingChangeView = {
  id: '0198f1c2-ad10-7c44-8a21-9f3b7c6d5e02',
  setting: 'payoutDailyLimit',
  oldValue: { usd: 500_000 },
  newValue: { usd: 900_000 },
  status: 'pending',
  createdBy: 'key:0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e11',
  createdAt: '2026-02-01T08:00:00.000Z',
  dueAt: '2026-02-04T08:00:00.000Z',
  decidedBy: null,
  decidedAt: null,
};

const decided = { decidedBy: 'key:0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e12', decidedAt: '2026-02-01T10:00:00.000Z' } as const;

const shared = { tag: 'Merchant', reply: pendingChangeSchema } as const;
const access = { keys: ['merchant'], scope: 'merchant:manage' } as const;
const decision = { ...shared, access, params: idParams, errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT'] } as const;

export const pendingChangeRoutes = [
  operation({
    id: 'listPendingChanges',
    method: 'GET',
    path: '/merchant/pending-changes',
    ...shared,
    access: { keys: ['merchant'], scope: 'merchant:read' },
    summary: 'List pending changes of the merchant',
    description:
      'Returns changes that make payouts less safe, newest first, with those that were decided: raising or removing `payoutApprovalThreshold` or `payoutDailyLimit`, and shortening `detailsCooldownHours`.',
    query: pendingChangesQuery,
    paged: true,
    example: { data: [pending] },
    handle: ({ ctx, query }) => listPendingChanges(ctx, query),
  }),
  operation({
    id: 'approvePendingChange',
    method: 'POST',
    path: '/merchant/pending-changes/{id}/approve',
    freshCheck: 'passkey',
    ...decision,
    summary: 'Approve a pending change of the merchant',
    description:
      'The change takes effect at once. Not by the person or with a key of the line that requested it, nor with a newer key.',
    reasons: ['ALREADY_DECIDED', 'SAME_ACTOR'],
    example: { data: { ...pending, ...decided, status: 'approved' } },
    handle: ({ ctx, params }) => approvePendingChange(ctx, params),
  }),
  operation({
    id: 'cancelPendingChange',
    method: 'POST',
    path: '/merchant/pending-changes/{id}/cancel',
    ...decision,
    summary: 'Stop a pending change of the merchant',
    description: 'The change never takes effect. Whoever has the scope may stop it.',
    reasons: ['ALREADY_DECIDED'],
    example: { data: { ...pending, ...decided, status: 'cancelled' } },
    handle: ({ ctx, params }) => cancelPendingChange(ctx, params),
  }),
];
