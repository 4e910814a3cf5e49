import { LRUCache } from 'lru-cache';
import { REQUESTS_PER_MINUTE } from '../../contracts/limits.ts';
import type { KeyType, Scope } from '../../contracts/scopes.ts';
import { bounded } from '../../platform/bounded.ts';
import { MINUTE_MS } from '../../platform/clock.ts';
import { compileOnce, type Given } from '../../platform/database/compiled.ts';
import { forkOf, type Orm } from '../../platform/database/orm.ts';
import { execute, firstRow, type InferResult, sql } from '../../platform/database/sql.ts';
import type { Logger } from '../../platform/logger.ts';
import { db } from '../tables.ts';
import { hashKey, keyTypeOf } from './api-key-format.rules.ts';

/** What authentication and rate limiting need from a key. */
export interface CachedApiKey {
  keyId: string;
  keyType: KeyType;
  ownerId: string;
  name: string;
  scopes: ReadonlySet<Scope>;
  perMinute: number;
  expiresAtMs: number;
}

const keyByHash = compileOnce(({ hash }: Given<{ hash: Buffer }>) =>
  db
    .selectFrom('api_key as k')
    .leftJoin('merchant as m', 'm.id', 'k.ownerId')
    .select([
      'k.id',
      'k.keyType',
      'k.ownerId',
      'k.name',
      'k.scopes',
      'k.rateLimit',
      'k.maxRateLimit',
      'k.expiresAt',
      'k.revokedAt',
    ])
    .select(['k.lastUsedAt', 'm.billingTier'])
    .where('k.hash', '=', hash),
);

type KeyRow = InferResult<ReturnType<typeof keyByHash>>[number];

const toCachedKey = (row: KeyRow): CachedApiKey => ({
  keyId: row.id,
  keyType: row.keyType,
  ownerId: row.ownerId,
  name: row.name,
  scopes: new Set(row.scopes),
  perMinute:
    row.rateLimit ?? Math.min(REQUESTS_PER_MINUTE[row.billingTier ?? 'free'], row.maxRateLimit ?? Number.POSITIVE_INFINITY),
  expiresAtMs: row.expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(row.expiresAt),
});

/** Why a presented key is not accepted. Only the holder of a key can learn that it was revoked or has expired. */
export type KeyRejection = 'malformed' | 'unknown' | 'revoked' | 'expired';

/** An entry expires after at most 5 s: its TTL plus the resolution of the cache's clock. */
const CACHED_MS = 4_900;
const CLOCK_MS = 100;

/** Looks up API keys. Entries expire after at most 5 s; a revocation removes them from all processes through Redis. */
export class ApiKeyCache {
  readonly #orm: Orm;
  readonly #log: Logger;
  readonly #cached = new LRUCache<string, CachedApiKey>({ ...bounded(20_000), ttl: CACHED_MS, ttlResolution: CLOCK_MS });
  /** Keys that do not exist or are revoked: guesses that are repeated cost one query. */
  readonly #rejected = new LRUCache<string, KeyRejection>({ ...bounded(20_000), ttl: CACHED_MS, ttlResolution: CLOCK_MS });
  readonly #loading = new Map<string, Promise<CachedApiKey | KeyRejection>>();
  readonly #usedAt = new LRUCache<string, number>(bounded(20_000));
  #generation = 0;

  constructor(orm: Orm, log: Logger) {
    this.#orm = orm;
    this.#log = log;
  }

  /** The key, or why it is not accepted. A mistyped key is rejected without a query. */
  async verify(text: string): Promise<CachedApiKey | KeyRejection> {
    const hash = hashKey(text);
    const cached = this.#cached.get(hash);
    if (!cached && keyTypeOf(text) === null) return 'malformed';
    const key = cached ?? this.#rejected.get(hash) ?? (await this.#loadOnce(hash));
    if (typeof key === 'string') return key;
    if (key.expiresAtMs <= Date.now()) return 'expired';
    this.#markUsed(key);
    return key;
  }

  /** Removes one key, or all keys when no id is given. The result of a query already running is not cached. */
  invalidate(keyId?: string): void {
    this.#generation++;
    this.#rejected.clear();
    this.#loading.clear();
    if (keyId === undefined) return this.#cached.clear();
    for (const [hash, key] of this.#cached.entries()) if (key.keyId === keyId) this.#cached.delete(hash);
  }

  /** Concurrent requests share one query. One that begins after an invalidation starts its own. */
  #loadOnce(hash: string): Promise<CachedApiKey | KeyRejection> {
    const running = this.#loading.get(hash);
    if (running !== undefined) return running;
    const loading = this.#load(hash).finally(() => {
      if (this.#loading.get(hash) === loading) this.#loading.delete(hash);
    });
    this.#loading.set(hash, loading);
    return loading;
  }

  async #load(hash: string): Promise<CachedApiKey | KeyRejection> {
    const generation = this.#generation;
    const reject = (reason: KeyRejection): KeyRejection => {
      if (generation === this.#generation) this.#rejected.set(hash, reason);
      return reason;
    };
    const row = await firstRow(forkOf(this.#orm), keyByHash({ hash: Buffer.from(hash, 'base64') }));
    if (!row) return reject('unknown');
    if (row.revokedAt !== null) return reject('revoked');
    const key = toCachedKey(row);
    if (generation === this.#generation) this.#cached.set(hash, key);
    if (row.lastUsedAt !== null && !this.#usedAt.has(key.keyId)) this.#usedAt.set(key.keyId, Date.parse(row.lastUsedAt));
    return key;
  }

  /** Written at most once a minute, without waiting: no decision depends on it. */
  #markUsed(key: CachedApiKey): void {
    const now = Date.now();
    if (now - (this.#usedAt.get(key.keyId) ?? 0) < MINUTE_MS) return;
    this.#usedAt.set(key.keyId, now);
    execute(
      forkOf(this.#orm),
      db
        .updateTable('api_key')
        .set({ lastUsedAt: sql<string>`now()` })
        .where('id', '=', key.keyId)
        .where(({ eb, or }) =>
          or([eb('lastUsedAt', 'is', null), eb('lastUsedAt', '<', sql<string>`now() - interval '1 minute'`)]),
        ),
    ).catch((err) => this.#log.warn({ err, keyId: key.keyId }, 'failed to record the last use of an API key'));
  }
}
