import { defineEntity, p } from '@mikro-orm/core';
import type { KeyType, Scope } from '../../contracts/scopes.ts';

export const ApiKeySchema = defineEntity({
  name: 'ApiKey',
  tableName: 'api_key',
  properties: {
    id: p.uuid().primary(),
    keyType: p.string().$type<KeyType>(),
    ownerId: p.uuid(),
    name: p.string(),
    /** SHA-256 of the key. The key itself is never stored. */
    hash: p.blob(),
    prefix: p.string(),
    lastFour: p.string(),
    scopes: p.array().$type<Scope[]>(),
    /** Requests per minute set by an operator; null for that of the billing tier, at most `maxRateLimit`. */
    rateLimit: p.integer().nullable(),
    maxRateLimit: p.integer().nullable(),
    createdBy: p.uuid().nullable(),
    createdAt: p.datetime(),
    lastUsedAt: p.datetime().nullable(),
    expiresAt: p.datetime().nullable(),
    revokedAt: p.datetime().nullable(),
  },
});

export class ApiKey extends ApiKeySchema.class {
  /** A second call keeps the first time. */
  revoke(at: Date): void {
    this.revokedAt ??= at;
  }
}

ApiKeySchema.setClass(ApiKey);
