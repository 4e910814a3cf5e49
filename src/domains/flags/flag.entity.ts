import { defineEntity, p } from '@mikro-orm/core';
import {
  FLAG_DEADLINE_ACTIONS,
  FLAG_STATUSES,
  FLAG_TYPES,
  type FlagDeadlineAction,
  type FlagDetails,
  type FlagStatus,
} from '../../contracts/flags.ts';

export const FlagSchema = defineEntity({
  name: 'Flag',
  tableName: 'flag',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    programId: p.uuid(),
    affiliateId: p.uuid(),
    type: p.enum(FLAG_TYPES),
    status: p.enum(FLAG_STATUSES),
    details: p.json().$type<FlagDetails>().nullable(),
    note: p.text().nullable(),
    conversionCount: p.integer().default(0),
    createdAt: p.datetime(3),
    newestEvidenceAt: p.datetime(3),
    dueAt: p.datetime(3),
    /** What the deadline did; null before it, and when a person was faster. */
    deadlineAction: p.enum(FLAG_DEADLINE_ACTIONS).nullable(),
    resolvedAt: p.datetime(3).nullable(),
    /** Id of the key; null for the deadline. */
    resolvedBy: p.uuid().nullable(),
    /** Until then, linked conversions are neither approved nor paid. */
    holdEndedAt: p.datetime(3).nullable(),
    reminders: p.integer().default(0),
    /** How often its deadline was reached: evidence sets another one. */
    deadlines: p.integer().default(0),
    cancellationIgnoredAt: p.datetime(3).nullable(),
    updatedAt: p.datetime(3),
    /** Set by a trigger. */
    version: p.integer().default(1),
  },
});

/** A suspicion about one affiliate in one program. Opened and extended by `raiseFlag`. */
export class Flag extends FlagSchema.class {
  /** The commissions of a confirmed flag stay on hold until all of them are rejected. */
  resolve(status: Exclude<FlagStatus, 'open'>, by: string | null, at: Date): void {
    this.status = status;
    this.resolvedAt = at;
    this.resolvedBy = by;
    if (status !== 'confirmed') this.holdEndedAt = at;
    this.updatedAt = at;
  }

  /** Nobody decided in time, and what happens then was not done yet. */
  isOverdue(now: Date): boolean {
    return this.status === 'open' && !this.deadlineAction && this.dueAt <= now;
  }

  passDeadline(action: FlagDeadlineAction, at: Date): void {
    this.deadlineAction = action;
    this.deadlines += 1;
    this.updatedAt = at;
  }

  /** False when that reminder was sent before, or none is needed. */
  remind(reminder: number, at: Date): boolean {
    if (this.status !== 'open' || this.reminders >= reminder) return false;
    this.reminders = reminder;
    this.updatedAt = at;
    return true;
  }

  endHold(at: Date): void {
    this.holdEndedAt = at;
    this.updatedAt = at;
  }
}

FlagSchema.setClass(Flag);

export const FlagConversionSchema = defineEntity({
  name: 'FlagConversion',
  tableName: 'flag_conversion',
  properties: {
    flagId: p.uuid().primary(),
    conversionId: p.uuid().primary(),
  },
});
