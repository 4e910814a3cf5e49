import { z } from 'zod';
import { PENDING_CHANGE_STATUSES, PROTECTED_SETTINGS } from '../../contracts/approvals.ts';
import { type Stored, toIso, toIsoOrNull } from '../../platform/database/sql.ts';
import { createdAt, id } from '../../platform/http/fields.ts';
import { pageQuery } from '../../platform/http/pages.ts';
import { stringOrNull, timestamp, timestampOrNull } from '../../platform/http/schemas.ts';

const value = z.union([z.record(z.string(), z.int()), z.int()]).nullable();

export const pendingChangeSchema = z
  .object({
    id,
    setting: z.enum(PROTECTED_SETTINGS).describe('Field of the merchant that changes'),
    oldValue: value.describe('Value when the change was requested; null if there was none'),
    newValue: value.describe('Value once it is in effect; null removes it'),
    status: z
      .enum(PENDING_CHANGE_STATUSES)
      .describe(
        '`pending`: not in effect. `approved`: in effect by a second actor. `applied`: in effect since `dueAt`. `cancelled`: stopped. `superseded`: the setting was changed otherwise',
      ),
    createdBy: z.string().describe('Key or person that requested it'),
    createdAt,
    dueAt: timestamp.describe('When a pending change takes effect: 72 hours after it was requested'),
    decidedBy: stringOrNull.describe('Who approved, stopped or replaced it; null while it is pending'),
    decidedAt: timestampOrNull.describe('When that was; null while it is pending'),
  })
  .meta({ id: 'PendingChange' });

export type PendingChangeView = z.infer<typeof pendingChangeSchema>;

export const pendingChangesQuery = z.strictObject({
  status: z.enum(PENDING_CHANGE_STATUSES).optional().describe('Only changes with this status'),
  ...pageQuery,
});

export const toPendingChange = (row: Stored<PendingChangeView, 'createdAt' | 'dueAt' | 'decidedAt'>): PendingChangeView => ({
  id: row.id,
  setting: row.setting,
  oldValue: row.oldValue ?? null,
  newValue: row.newValue ?? null,
  status: row.status,
  createdBy: row.createdBy,
  createdAt: toIso(row.createdAt),
  dueAt: toIso(row.dueAt),
  decidedBy: row.decidedBy ?? null,
  decidedAt: toIsoOrNull(row.decidedAt),
});
