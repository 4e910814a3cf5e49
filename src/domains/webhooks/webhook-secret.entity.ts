import { defineEntity, p } from '@mikro-orm/core';

const WebhookSecretSchema = defineEntity({
  name: 'WebhookSecret',
  tableName: 'webhook_secret',
  properties: {
    id: p.uuid().primary(),
    endpointId: p.uuid(),
    /** Sealed by the cipher; bound to this row. */
    ciphertext: p.string(),
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

/** Where the cipher binds a ciphertext secret to. */
export const secretCipherContext = (id: string) => ({ table: 'webhook_secret', column: 'ciphertext', row: id });
