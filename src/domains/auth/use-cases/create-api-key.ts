import { MAX_KEYS_PER_OWNER } from '../../../contracts/limits.ts';
import { KEY_PREFIXES, type KeyType, type Preset, SCOPES_OF, SCOPES_OF_PRESET, type Scope } from '../../../contracts/scopes.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { execute, sql } from '../../../platform/database/sql.ts';
import { AppError, conflict, invalidField } from '../../../platform/errors.ts';
import { ApiKey } from '../api-key.entity.ts';
import { generateApiKey, hashKey } from '../api-key-format.ts';
import { countLiveKeys } from '../auth.queries.ts';

export interface CreateApiKeyInput {
  keyType: KeyType;
  ownerId: string;
  name: string;
  scopes?: readonly Scope[] | undefined;
  preset?: Preset | undefined;
  expiresAt?: Date | undefined;
  rateLimit?: number | undefined;
}

const wantedScopes = (input: CreateApiKeyInput): Scope[] => {
  const possible = SCOPES_OF[input.keyType];
  const wanted = input.preset
    ? SCOPES_OF_PRESET[input.preset].filter((scope) => possible.includes(scope))
    : [...(input.scopes ?? possible)];
  const field = input.preset ? 'preset' : 'scopes';
  if (wanted.length === 0) throw invalidField(field, 'leaves no scope for a key of this type');
  const alien = wanted.find((scope) => !possible.includes(scope));
  if (alien) throw invalidField('scopes', `${alien} is not a scope of this key type`);
  return [...new Set(wanted)];
};

/** Makes a key and returns its text, which is never seen again. A key cannot give what it does not hold. */
export const createApiKey = (ctx: Context, input: CreateApiKeyInput): Promise<{ key: ApiKey; value: string }> =>
  inTransaction(ctx, async (ctx) => {
    const wanted = wantedScopes(input);
    const { actor } = ctx;
    // A preset is what the creator may pass on of it; a named scope beyond that is refused.
    const scopes = actor.kind === 'key' && input.preset ? wanted.filter((scope) => actor.scopes.includes(scope)) : wanted;
    if (scopes.length === 0) throw invalidField('preset', 'leaves no scope that this key could pass on');
    if (actor.kind === 'key') {
      const missing = scopes.find((scope) => !actor.scopes.includes(scope));
      if (missing) {
        throw new AppError('INSUFFICIENT_SCOPE', 'A key cannot pass on a scope that it does not hold', {
          required: missing,
          granted: actor.scopes,
        });
      }
    }
    if (input.expiresAt && input.expiresAt <= ctx.clock.now()) throw invalidField('expiresAt', 'must lie in the future');
    await execute(ctx.em, sql`select pg_advisory_xact_lock(hashtextextended(${`keys:${input.ownerId}`}, 0))`);
    if ((await countLiveKeys(ctx, input.ownerId)) >= MAX_KEYS_PER_OWNER) {
      throw conflict('TOO_MANY_KEYS', 'Revoke a key before making another', { limit: MAX_KEYS_PER_OWNER });
    }
    const value = generateApiKey(input.keyType);
    const key = ctx.em.create(ApiKey, {
      id: ctx.ids.next(),
      keyType: input.keyType,
      ownerId: input.ownerId,
      name: input.name,
      hash: Buffer.from(hashKey(value), 'base64'),
      prefix: KEY_PREFIXES[input.keyType],
      lastFour: value.slice(-4),
      scopes,
      rateLimit: input.rateLimit ?? null,
      createdBy: actor.kind === 'key' ? actor.keyId : null,
      createdAt: ctx.clock.now(),
      lastUsedAt: null,
      expiresAt: input.expiresAt ?? null,
      revokedAt: null,
    });
    await ctx.em.flush();
    return { key, value };
  });
