import { defineEntity, p } from '@mikro-orm/core';
import { AUDIT_ACTIONS, type FieldChange } from '../../contracts/audit-log.ts';

/** Kept for ever, and never changed. It holds no secret and nothing about a person but the ids of their objects. */
export const AuditLogEntrySchema = defineEntity({
  name: 'AuditLogEntry',
  tableName: 'audit_log',
  properties: {
    id: p.uuid().primary(),
    /** The merchant, or the profile of the person, whose object it is. */
    ownerId: p.uuid(),
    /** `key:<id>`, `person:<id>` or `system:<name>`. */
    actor: p.text(),
    /** Address of the caller; for IPv6, its network. Null for keys that belong to persons. */
    address: p.text().nullable(),
    requestId: p.text().nullable(),
    action: p.enum(AUDIT_ACTIONS),
    resourceId: p.uuid(),
    changes: p.json<FieldChange[]>(),
    createdAt: p.datetime(3),
  },
});

export class AuditLogEntry extends AuditLogEntrySchema.class {}

AuditLogEntrySchema.setClass(AuditLogEntry);
