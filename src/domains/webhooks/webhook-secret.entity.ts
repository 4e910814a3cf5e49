import { defineEntity, p } from '@mikro-orm/core';

export const WebhookSecretSchema = defineEntity({
  name: 'WebhookSecret',
  tableName: 'webhook_secret',
  properties: {
    id: p.uuid().primary(),
    endpointId: p.uuid(),
    /** Bound to this row by the cipher context. */
    ciphertext: p.text(),
    createdAt: p.datetime(3),
    /** Null for the current secret. */
    expiresAt: p.datetime(3).nullable(),
  },
});

export class WebhookSecret extends WebhookSecretSchema.class {
  isLive(at: Date): boolean {
    return !this.expiresAt || this.expiresAt > at;
  }

  /** Never extends the lifetime. */
  expire(at: Date): void {
    if (!this.expiresAt || this.expiresAt > at) this.expiresAt = at;
  }
}

WebhookSecretSchema.setClass(WebhookSecret);

/** Binds the ciphertext to its row. */
export const secretCipherContext = (id: string) => ({ table: 'webhook_secret', column: 'ciphertext', row: id });
