import { defineEntity, p } from '@mikro-orm/core';
import {
  DELIVERY_STATUSES,
  DELIVERY_TRIGGERS,
  type DeliveryResult,
  type DeliveryStatus,
  runSuffix,
} from '../../contracts/webhooks.ts';

export const WebhookDeliverySchema = defineEntity({
  name: 'WebhookDelivery',
  tableName: 'webhook_delivery',
  properties: {
    id: p.uuid().primary(),
    eventId: p.uuid().primary(),
    endpointId: p.uuid(),
    merchantId: p.uuid(),
    trigger: p.enum(DELIVERY_TRIGGERS).default('schedule'),
    status: p.enum(DELIVERY_STATUSES),
    /** Lane slot of the endpoint. */
    slot: p.smallint(),
    priority: p.smallint(),
    /** Waits for an attempt by its lane; false once a workflow of its own sends it. */
    inLane: p.boolean().default(true),
    /** The run that sends it on its schedule. Any other one has been replaced. */
    runSuffix: p.text().default(''),
    /** Scheduled attempts with a known outcome. Their number is limited by the schedule. */
    autoAttempts: p.integer().default(0),
    /** All attempts; also the number of the newest one. */
    attempts: p.integer().default(0),
    /** How often the reconciler started a workflow for it again. */
    restartCount: p.integer().default(0),
    /** How often a replay queued it. */
    replayCount: p.integer().default(0),
    resendCount: p.integer().default(0),
    /** Null unless the attempt of the last resend has no outcome yet. */
    resendRequestedAt: p.datetime(3).nullable(),
    nextAttemptAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
});

/** The delivery of one event to one endpoint. Changed only while its row is locked. */
export class WebhookDelivery extends WebhookDeliverySchema.class {
  startAttempt(at: Date): void {
    this.inLane = false;
    this.attempts += 1;
    this.updatedAt = at;
  }

  /** Returns the suffix of its run. Only while no resend is open. */
  requestResend(at: Date): string {
    this.resendCount += 1;
    this.resendRequestedAt = at;
    return runSuffix('resend', this.resendCount);
  }

  isResending(suffix: string): boolean {
    return this.resendRequestedAt !== null && suffix === runSuffix('resend', this.resendCount);
  }

  /** The status and the schedule stay as they are, and so does the lane. */
  startResendAttempt(): void {
    this.attempts += 1;
  }

  endResend(suffix: string): void {
    if (this.isResending(suffix)) this.resendRequestedAt = null;
  }

  /** Attempt `n` of the run has an outcome. */
  finishAttempt(n: number, suffix: string): void {
    this.attempts = Math.max(this.attempts, n);
    this.endResend(suffix);
  }

  failScheduledAttempt(): void {
    this.autoAttempts += 1;
  }

  waitUntil(next: Date, at: Date): void {
    this.nextAttemptAt = next;
    this.updatedAt = at;
  }

  close(status: Exclude<DeliveryStatus, 'pending'>, at: Date): DeliveryResult {
    this.status = status;
    this.nextAttemptAt = null;
    this.updatedAt = at;
    return { end: status, attempts: this.attempts };
  }

  /** Null while the delivery is pending. */
  result(): DeliveryResult | null {
    return this.status === 'pending' ? null : { end: this.status, attempts: this.attempts };
  }

  /** What a run ends with that another one has replaced; null for the current run. */
  replacedResult(suffix: string): DeliveryResult | null {
    return this.runSuffix === suffix ? null : { end: 'closed', attempts: this.attempts };
  }
}

WebhookDeliverySchema.setClass(WebhookDelivery);
