import { LockMode } from '@mikro-orm/core';
import type { CancelledWork } from '../../../contracts/approvals.ts';
import { KEYS_PER_DAY_FACTOR, KEYS_PER_OWNER, MAX_KEYS_PER_OWNER, RATE_WINDOW_MS } from '../../../contracts/limits.ts';
import { KEY_PREFIXES, type KeyType, type Preset, SCOPES_OF, SCOPES_OF_PRESET, type Scope } from '../../../contracts/scopes.ts';
import { recordChange, valuesOf } from '../../../platform/audit-log/record-change.ts';
import { type Caller, type Context, callerIdOf, findCaller, inTransaction } from '../../../platform/context.ts';
import { flushPending } from '../../../platform/database/sql.ts';
import { AppError, conflict, invalidField } from '../../../platform/errors.ts';
import { lockOwned, readOwned } from '../../../platform/ownership.ts';
import { ApiKey } from '../api-key.entity.ts';
import { generateApiKey, hashKey } from '../api-key-format.rules.ts';
import { countKeys, findActiveDescendants, findKeysMadeBy, lockKeysOf, type RevokedKeys } from '../auth.queries.ts';

export interface CreateApiKeyInput {
  keyType: KeyType;
  ownerId: string;
  name: string;
  scopes?: readonly Scope[] | undefined;
  preset?: Preset | undefined;
  expiresAt?: Date | undefined;
  rateLimit?: number | undefined;
}

/**
 * Creates a key and returns its plaintext, which is not stored. A key cannot grant scopes that it does not have: a preset
 * is reduced to those of the creating key, a named scope beyond them is INSUFFICIENT_SCOPE.
 */
export const createApiKey = (ctx: Context, input: CreateApiKeyInput): Promise<{ key: ApiKey; value: string }> =>
  inTransaction(ctx, async (ctx) => {
    const maker = findCaller(ctx.actor);
    const scopes = grantableScopes(maker, input);
    if (input.expiresAt && input.expiresAt <= ctx.clock.now()) throw invalidField('expiresAt', 'must be in the future');
    await lockKeysOf(ctx, input.ownerId);
    const id = ctx.ids.next();
    const { lineId, ...limits } = await inherited(ctx, { id, expiresAt: input.expiresAt });
    await assertBelowLimits(ctx, input.ownerId);
    const value = generateApiKey(input.keyType);
    const key = ctx.em.create(ApiKey, {
      id,
      keyType: input.keyType,
      ownerId: input.ownerId,
      name: input.name,
      hash: Buffer.from(hashKey(value), 'base64'),
      prefix: KEY_PREFIXES[input.keyType],
      lastFour: value.slice(-4),
      scopes,
      rateLimit: input.rateLimit ?? null,
      ...limits,
      createdBy: maker && callerIdOf(maker),
      lineId,
      createdAt: ctx.clock.now(),
    });
    await recordChange(ctx, {
      ownerId: key.ownerId,
      action: 'api_key.created',
      resourceId: key.id,
      after: { ...valuesOf(key, ['keyType', 'scopes', 'expiresAt']), rateLimit: input.rateLimit },
    });
    return { key, value };
  });

/**
 * Rate limits are per key: an owner who creates and revokes keys may use only one more than they may have at a time, and fills
 * no table. The caller holds the lock of the owner's keys.
 */
const assertBelowLimits = async (ctx: Context, ownerId: string): Promise<void> => {
  const { active, recent, createdToday, tier } = await countKeys(ctx, ownerId);
  const isOperator = ctx.actor.kind === 'system';
  const limit = isOperator ? MAX_KEYS_PER_OWNER : KEYS_PER_OWNER[tier ?? 'free'];
  if (active >= limit)
    throw conflict('TOO_MANY_KEYS', `At most ${limit} active API keys are allowed. Revoke one first`, { limit });
  if (isOperator) return;
  if (recent > limit)
    throw conflict('TOO_MANY_KEYS', 'Keys that ended within the last minute still count. Repeat the request after it', {
      limit,
      retryAfterMs: RATE_WINDOW_MS,
    });
  const perDay = limit * KEYS_PER_DAY_FACTOR;
  if (createdToday >= perDay)
    throw conflict('TOO_MANY_KEYS', `At most ${perDay} API keys can be created in 24 hours`, { limit, perDay });
};

/** A key outlives its creating key neither by its own expiry nor by a request that was sent before a revocation. */
const inherited = async (
  ctx: Context,
  { id, expiresAt: requested }: { id: string; expiresAt: Date | undefined },
): Promise<{ lineId: string; expiresAt: Date | null; maxRateLimit: number | null }> => {
  if (ctx.actor.kind !== 'key') {
    const lineId = ctx.actor.kind === 'person' ? ctx.actor.personId : id;
    return { lineId, expiresAt: requested ?? null, maxRateLimit: null };
  }
  const maker = await ctx.em.findOneOrFail(ApiKey, { id: ctx.actor.keyId }, { refresh: true });
  if (maker.revokedAt) throw new AppError('UNAUTHORIZED', 'The API key has been revoked');
  const { expiresAt, lineId } = maker;
  if (requested && expiresAt && requested > expiresAt) {
    throw invalidField('expiresAt', 'must not be later than the expiry of the creating key');
  }
  return { lineId, expiresAt: requested ?? expiresAt ?? null, maxRateLimit: maker.rateLimit ?? maker.maxRateLimit ?? null };
};

const grantableScopes = (maker: Caller | null, input: CreateApiKeyInput): Scope[] => {
  const requested = requestedScopes(input);
  if (!maker) return requested;
  const missing = requested.filter((scope) => !maker.scopes.includes(scope));
  if (input.preset) {
    const granted = requested.filter((scope) => !missing.includes(scope));
    if (granted.length === 0) throw invalidField('preset', 'contains no scope that the creating key can grant');
    return granted;
  }
  if (missing[0] === undefined) return requested;
  throw new AppError('INSUFFICIENT_SCOPE', 'A key cannot grant a scope that it does not have', {
    required: missing[0],
    granted: maker.scopes,
  });
};

/** `readonly` is for every type; the scopes of an onboarding key are a merchant's. */
const isPresetOf = (keyType: KeyType, preset: Preset): boolean =>
  preset === 'readonly' || (preset === 'affiliate:full') === (keyType === 'affiliate');

const requestedScopes = (input: CreateApiKeyInput): Scope[] => {
  if (input.preset && !isPresetOf(input.keyType, input.preset)) {
    throw invalidField('preset', `is not for ${input.keyType} keys`, 'WRONG_PRESET');
  }
  const allowed = SCOPES_OF[input.keyType];
  const requested = input.preset
    ? SCOPES_OF_PRESET[input.preset].filter((scope) => allowed.includes(scope))
    : [...new Set(input.scopes ?? allowed)];
  const field = input.preset ? 'preset' : 'scopes';
  if (requested.length === 0) throw invalidField(field, 'contains no scope that a key of this type can have');
  const invalid = requested.find((scope) => !allowed.includes(scope));
  if (invalid) throw invalidField('scopes', `${invalid} is not a scope of this key type`);
  return requested;
};

export interface RevokedApiKey {
  key: ApiKey;
  /** Keys created with this one, directly or not, that are still active. */
  descendants: number;
  cancelled: CancelledWork[];
}

/**
 * Takes effect immediately on all processes. With `descendants`, keys created with this one are revoked too. Revoking a
 * revoked key keeps its time. What waits in the name of a revoked key is cancelled.
 */
export const revokeApiKey = (ctx: Context, input: { id: string; descendants?: boolean | undefined }): Promise<RevokedApiKey> =>
  inTransaction(ctx, async (ctx) => {
    const key = readOwned(ctx, 'API key', await ctx.em.findOne(ApiKey, { id: input.id }));
    // No key can be created with one of these while they are revoked.
    await lockKeysOf(ctx, key.ownerId);
    const descendants = await findActiveDescendants(ctx, key.id);
    await revokeAll(ctx, input.descendants ? [key.id, ...descendants] : [key.id]);
    await flushPending(ctx.em);
    const cancelled = await ctx.onAccessEnded(ctx, key.ownerId);
    return { key, descendants: input.descendants ? 0 : descendants.length, cancelled };
  });

const revokeAll = async (ctx: Context, ids: readonly string[]): Promise<void> => {
  const keys = await ctx.em.find(
    ApiKey,
    { id: { $in: [...ids] } },
    { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true, orderBy: { id: 'asc' } },
  );
  for (const key of keys) {
    const before = valuesOf(key, ['revokedAt']);
    key.revoke(ctx.clock.now());
    const { id: resourceId, ownerId } = key;
    const after = valuesOf(key, ['revokedAt']);
    if (!before.revokedAt) await recordChange(ctx, { ownerId, action: 'api_key.revoked', resourceId, before, after });
    ctx.broadcasts.push({ channel: 'key-changed', text: key.id });
  }
};

/** Requests per minute of one key; null restores the limit of the owner's billing tier. Takes effect immediately. */
export const setApiKeyRateLimit = (ctx: Context, input: { id: string; rateLimit: number | null }): Promise<ApiKey> =>
  inTransaction(ctx, async (ctx) => {
    const key = await lockOwned(ctx, 'API key', ApiKey, { id: input.id });
    const before = valuesOf(key, ['rateLimit']);
    key.rateLimit = input.rateLimit;
    const after = valuesOf(key, ['rateLimit']);
    await recordChange(ctx, { ownerId: key.ownerId, action: 'api_key.updated', resourceId: key.id, before, after });
    ctx.broadcasts.push({ channel: 'key-changed', text: key.id });
    return key;
  });

/**
 * Revokes the keys that a person made for an account, with the keys that were made with them. Those that are kept stay, with what was made
 * with them.
 */
export const revokeKeysOf = (ctx: Context, input: RevokedKeys): Promise<string[]> =>
  inTransaction(ctx, async (ctx) => {
    await lockKeysOf(ctx, input.ownerId);
    const ids = await findKeysMadeBy(ctx, input);
    await revokeAll(ctx, ids);
    return ids;
  });
