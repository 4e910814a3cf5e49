import { defineEntity, p } from '@mikro-orm/core';
import type { EventType } from '../../contracts/events.ts';
import type { EndpointStatus } from '../../contracts/webhooks.ts';

const WebhookEndpointSchema = defineEntity({
  name: 'WebhookEndpoint',
  tableName: 'webhook_endpoint',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    /** Null: events of all programs and of the merchant itself. */
    programId: p.uuid().nullable(),
    name: p.string(),
    url: p.string(),
    status: p.string().$type<EndpointStatus>(),
    schemaVersion: p.integer().$type<2>(),
    subscribedEvents: p.array().$type<EventType[]>(),
    secretLastFour: p.string().nullable(),
    disabledReason: p.string().$type<'merchant' | 'gone'>().nullable(),
    /** How often it was enabled again; names the runs that its parked deliveries then get. */
    enableCount: p.integer(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
    disabledAt: p.datetime().nullable(),
    deletedAt: p.datetime().nullable(),
  },
});

export interface EndpointChanges {
  name?: string | undefined;
  url?: string | undefined;
  programId?: string | null | undefined;
  subscribedEvents?: readonly EventType[] | undefined;
}

export class WebhookEndpoint extends WebhookEndpointSchema.class {
  change(changes: EndpointChanges, at: Date): void {
    if (changes.name !== undefined) this.name = changes.name;
    if (changes.url !== undefined) this.url = changes.url;
    if (changes.programId !== undefined) this.programId = changes.programId;
    if (changes.subscribedEvents !== undefined) this.subscribedEvents = [...new Set(changes.subscribedEvents)];
    this.updatedAt = at;
  }

  /** False when it was active already. */
  enable(at: Date): boolean {
    if (this.status === 'active') return false;
    this.status = 'active';
    this.disabledAt = null;
    this.disabledReason = null;
    this.enableCount += 1;
    this.updatedAt = at;
    return true;
  }

  /** A second call keeps the first moment and reason. */
  disable(reason: 'merchant' | 'gone', at: Date): void {
    if (this.status === 'disabled') return;
    this.status = 'disabled';
    this.disabledAt = at;
    this.disabledReason = reason;
    this.updatedAt = at;
  }

  showSecretOf(text: string, at: Date): void {
    this.secretLastFour = text.slice(-4);
    this.updatedAt = at;
  }

  delete(at: Date): void {
    this.deletedAt = at;
    this.updatedAt = at;
  }
}

WebhookEndpointSchema.setClass(WebhookEndpoint);
