import { z } from 'zod';
import { AUDIT_ACTIONS, AUDIT_RESOURCES, type AuditAction, type FieldChange, resourceOf } from '../../contracts/audit-log.ts';
import { toIso } from '../../platform/database/sql.ts';
import { dateRangeQuery, inOrder } from '../../platform/http/date-range.ts';
import { createdAt, id } from '../../platform/http/fields.ts';
import { pageQuery } from '../../platform/http/pages.ts';
import { storedUuid, stringOrNull, uuid } from '../../platform/http/schemas.ts';

export const auditLogEntrySchema = z
  .object({
    id,
    actor: z
      .string()
      .describe(
        '`key:<id>` for an API key, `person:<id>` for a person who is signed in, `system:<name>` for the operator (`system:operator`) or a process',
      ),
    actorName: stringOrNull.describe('Name of the API key or the person; null for a process'),
    address: stringOrNull.describe('IP address of the caller, of IPv6 its network; null for a process'),
    requestId: stringOrNull.describe('`X-Request-Id` of the request; null for a process'),
    action: z.enum(AUDIT_ACTIONS).describe('What was done'),
    resourceType: z.enum(AUDIT_RESOURCES).describe('Type of the changed object'),
    resourceId: storedUuid.describe('Id of the changed object'),
    changes: z
      .array(
        z.object({
          field: z.string().describe('Name of the field'),
          old: z.unknown().describe('Value before; null if there was none, or if it is hidden. A long value is cut'),
          new: z.unknown().describe('Value after; null if there is none, or if it is hidden. A long value is cut'),
          hidden: z
            .boolean()
            .describe('The values are not recorded: a secret, payout details, or what was written about a person'),
        }),
      )
      .describe('The fields that changed; of a new object, some of its fields'),
    createdAt: createdAt.describe('When it was done'),
  })
  .meta({ id: 'AuditLogEntry' });

export type AuditLogEntryView = z.infer<typeof auditLogEntrySchema>;

const filters = {
  ...dateRangeQuery,
  actor: z
    .string()
    .max(100)
    .regex(/^((key|person):[0-9a-f-]{36}|system:\w+)$/, 'must be key:<id>, person:<id> or system:<name>')
    .optional()
    .describe('Only what this actor did: `key:<id>`, `person:<id>` or `system:<name>`'),
  personId: uuid.optional().describe('Only what this person did, or a key that they made, or one made with it'),
  action: z.enum(AUDIT_ACTIONS).optional().describe('Only this action'),
  resourceType: z.enum(AUDIT_RESOURCES).optional().describe('Only changes of objects of this type'),
  resourceId: uuid.optional().describe('Only changes of this object'),
};

export const listAuditLogQuery = inOrder(z.strictObject({ ...pageQuery, ...filters }));
export const exportAuditLogQuery = inOrder(z.strictObject(filters));

/** What the URL of an export carries. */
export const auditLogFilter = z.strictObject({
  actor: filters.actor,
  personId: filters.personId,
  action: filters.action,
  resourceType: filters.resourceType,
  resourceId: filters.resourceId,
  startDate: dateRangeQuery.startDate,
  endDate: dateRangeQuery.endDate,
});

export type AuditLogFilter = z.output<typeof auditLogFilter>;

interface StoredEntry {
  id: string;
  actor: string;
  actorName: string | null;
  address: string | null;
  requestId: string | null;
  action: AuditAction;
  resourceId: string;
  changes: readonly FieldChange[];
  createdAt: string;
}

export const toAuditLogEntry = ({ changes, ...entry }: StoredEntry): AuditLogEntryView => ({
  id: entry.id,
  actor: entry.actor,
  actorName: entry.actorName,
  address: entry.address,
  requestId: entry.requestId,
  action: entry.action,
  resourceType: resourceOf(entry.action),
  resourceId: entry.resourceId,
  changes: [...changes],
  createdAt: toIso(entry.createdAt),
});
