import type { z } from 'zod';
import { csvUrlSchema } from '../../platform/http/csv-download.ts';
import { resolveDateRange } from '../../platform/http/date-range.ts';
import { operation } from '../../platform/http/operation.ts';
import { withGivenTimes } from '../given-times.ts';
import { exportAuditLog, listAuditLog } from './audit-log.queries.ts';
import { auditLogEntrySchema, exportAuditLogQuery, listAuditLogQuery } from './audit-log.wire.ts';

const reads = { tag: 'Audit Log', access: { keys: ['merchant'], scope: 'merchant:manage' } } as const;

const entryExample: z.input<typeof auditLogEntrySchema> = {
  id: '01981a2b-3c4d-7e5f-8a9b-0c1d2e3f4a5b',
  actor: 'key:0197f2c4-1111-7000-8000-000000000001',
  actorName: 'Back office',
  address: '203.0.113.7',
  requestId: 'req_8d0f5b0e-51f0-4c0a-9f57-2f1c1f7f9a11',
  action: 'program.updated',
  resourceType: 'program',
  resourceId: '0197f2c4-2222-7000-8000-000000000002',
  changes: [{ field: 'commissionPercent', old: 20, new: 25, hidden: false }],
  createdAt: '2026-03-02T09:30:00.000Z',
};

export const auditLogRoutes = [
  operation({
    ...reads,
    id: 'listAuditLog',
    method: 'GET',
    path: '/audit-log',
    summary: 'List changes of your account, newest first',
    description:
      'Who changed what, when and from where: keys, webhook endpoints, programs, terms of affiliates, coupons, invites, applications, flags, adjustments, settings and billing, by keys, the operator and the system alike. An entry is written together with its change and is never altered. Secrets, payout details and texts about persons are `hidden`: the entry says that they changed. What happens to a payout is in `GET /payouts/{id}/timeline`.',
    query: listAuditLogQuery,
    paged: true,
    reply: auditLogEntrySchema,
    example: { data: [entryExample] },
    handle: async ({ ctx, query }) => listAuditLog(ctx, await withGivenTimes(ctx, resolveDateRange(query))),
  }),
  operation({
    ...reads,
    id: 'exportAuditLog',
    method: 'GET',
    path: '/audit-log/export',
    summary: 'Export the audit log as a CSV file',
    description:
      'Returns a URL of a CSV file with the entries that the filters select, newest first. The URL works for ten minutes, for whoever has it, and ends with the API key that created it. A file has at most 100,000 rows: for more, the response is 409 `EXPORT_TOO_LARGE`.',
    query: exportAuditLogQuery,
    reply: csvUrlSchema,
    reasons: ['EXPORT_TOO_LARGE'],
    example: {
      data: { url: 'https://api.example.com/files/exports/audit-log.csv?token=eyJ0.5f2c', expiresAt: '2026-03-02T09:40:00.000Z' },
    },
    handle: async ({ ctx, query }) => exportAuditLog(ctx, await withGivenTimes(ctx, resolveDateRange(query))),
  }),
];
