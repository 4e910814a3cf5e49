import { defineEntity, p } from '@mikro-orm/core';
import type { OutboxPayloads, OutboxPriority, OutboxTopic } from '../../contracts/outbox.ts';

/** Rows for the relay, each until a workflow was started or signaled. */
export const OutboxSchema = defineEntity({
  name: 'Outbox',
  tableName: 'outbox',
  properties: {
    seq: p.bigint('number').primary().autoincrement().generated('identity'),
    topic: p.text().$type<OutboxTopic>(),
    priority: p.smallint().$type<OutboxPriority>().default(0),
    subjectId: p.uuid(),
    /** Null: the row is unique to no key, and any number of equal ones may wait. */
    suffix: p.text().nullable().default(''),
    payload: p.json<OutboxPayloads[OutboxTopic]>(),
    reconciled: p.boolean().default(false),
    traceParent: p.text().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    notBefore: p.datetime(3).defaultRaw('now()'),
    nextAttemptAt: p.datetime(3).defaultRaw('now()'),
    leaseExpiresAt: p.datetime(3).nullable(),
    leaseId: p.uuid().nullable(),
    attempts: p.integer().default(0),
    failures: p.integer().default(0),
    failedAt: p.datetime(3).nullable(),
    lastError: p.text().nullable(),
  },
});
