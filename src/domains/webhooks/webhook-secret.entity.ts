import { defineEntity, p } from '@mikro-orm/core';

const WebhookSecretSchema = defineEntity({
  name: 'WebhookSecret',
  tableName: 'webhook_secret',
  properties: {
    id: p.uuid().primary(),
    endpointId: p.uuid(),
    /** Sealed by the vault; bound to this row. */
    sealed: p.string(),
    createdAt: p.datetime(),
    /** Null for the current secret. */
    expiresAt: p.datetime().nullable(),
  },
});

export class WebhookSecret extends WebhookSecretSchema.class {
  isLive(at: Date): boolean {
    return !this.expiresAt || this.expiresAt > at;
  }

  /** Never lives longer than it would have. */
  expire(at: Date): void {
    if (!this.expiresAt || this.expiresAt > at) this.expiresAt = at;
  }
}

WebhookSecretSchema.setClass(WebhookSecret);

/** Where the vault binds a sealed secret to. */
export const placeOfSecret = (id: string) => ({ table: 'webhook_secret', column: 'sealed', row: id });
