import { defineEntity, p } from '@mikro-orm/core';
import type { DeliveryResult, DeliveryStatus, DeliveryTrigger } from '../../contracts/webhooks.ts';

const WebhookDeliverySchema = defineEntity({
  name: 'WebhookDelivery',
  tableName: 'webhook_delivery',
  properties: {
    id: p.uuid().primary(),
    eventId: p.uuid(),
    endpointId: p.uuid(),
    merchantId: p.uuid(),
    trigger: p.string().$type<DeliveryTrigger>(),
    status: p.string().$type<DeliveryStatus>(),
    /** Attempts of the schedule whose outcome is known: what the budget is spent on. */
    autoAttempts: p.integer(),
    /** All attempts; the number of the newest one. */
    attempts: p.integer(),
    nextAttemptAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** One event on its way to one endpoint. Changed only under a lock of its row. */
export class WebhookDelivery extends WebhookDeliverySchema.class {
  /** The number of the attempt that now begins. */
  begin(at: Date): number {
    this.attempts += 1;
    this.updatedAt = at;
    return this.attempts;
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

  /** The result of a delivery that no longer waits; null while it does. */
  result(): DeliveryResult | null {
    return this.status === 'pending' ? null : { end: this.status, attempts: this.attempts };
  }
}

WebhookDeliverySchema.setClass(WebhookDelivery);
