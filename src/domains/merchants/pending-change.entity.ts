import { defineEntity, p } from '@mikro-orm/core';
import {
  PENDING_CHANGE_STATUSES,
  type PendingChangeStatus,
  type PendingValue,
  PROTECTED_SETTINGS,
} from '../../contracts/approvals.ts';
import { conflict } from '../../platform/errors.ts';

export const PendingChangeSchema = defineEntity({
  name: 'PendingChange',
  tableName: 'pending_change',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    setting: p.enum(PROTECTED_SETTINGS),
    oldValue: p.json<PendingValue>().nullable(),
    newValue: p.json<PendingValue>().nullable(),
    status: p.enum(PENDING_CHANGE_STATUSES).onCreate(() => 'pending'),
    createdBy: p.text(),
    createdAt: p.datetime(3),
    dueAt: p.datetime(3),
    decidedBy: p.text().nullable(),
    decidedAt: p.datetime(3).nullable(),
  },
});

/** A change of a setting that makes payouts less safe, and waits. */
export class PendingChange extends PendingChangeSchema.class {
  /** Throws ALREADY_DECIDED. */
  decide(status: Exclude<PendingChangeStatus, 'pending'>, by: string, at: Date): void {
    if (this.status !== 'pending')
      throw conflict('ALREADY_DECIDED', `The change is ${this.status} already`, { status: this.status });
    Object.assign(this, { status, decidedBy: by, decidedAt: at });
  }
}

PendingChangeSchema.setClass(PendingChange);
