import { defineEntity, p } from '@mikro-orm/core';
import { KEY_TYPES, type Scope } from '../../contracts/scopes.ts';

export const ApiKeySchema = defineEntity({
  name: 'ApiKey',
  tableName: 'api_key',
  properties: {
    id: p.uuid().primary(),
    keyType: p.enum(KEY_TYPES),
    ownerId: p.uuid(),
    name: p.text(),
    /** SHA-256 of the key. The key itself is never stored. */
    hash: p.blob(),
    prefix: p.text(),
    lastFour: p.text(),
    scopes: p.array().$type<Scope[]>(),
    /** Requests per minute set by an operator; null for that of the billing tier, at most `maxRateLimit`. */
    rateLimit: p.integer().nullable(),
    maxRateLimit: p.integer().nullable(),
    /** The key or person that made it; null for the operator. */
    createdBy: p.uuid().nullable(),
    /** The first of those that made it: a person, or a key of the operator, which is its own. What is of one line is one actor. */
    lineId: p.uuid(),
    createdAt: p.datetime(3),
    lastUsedAt: p.datetime(3).nullable(),
    expiresAt: p.datetime(3).nullable(),
    revokedAt: p.datetime(3).nullable(),
  },
});

export class ApiKey extends ApiKeySchema.class {
  /** A second call keeps the first time. */
  revoke(at: Date): void {
    this.revokedAt ??= at;
  }
}

ApiKeySchema.setClass(ApiKey);

/** A browser in which an affiliate used a key lately; a bounded number of each. */
export const AffiliateSessionSchema = defineEntity({
  name: 'AffiliateSession',
  tableName: 'affiliate_session',
  properties: {
    profileId: p.uuid().primary(),
    slot: p.smallint().primary(),
    browser: p.blob().$type<Buffer>(),
    seenAt: p.datetime(3),
  },
});
