import { z } from 'zod';
import { KEY_TYPES, PRESETS, SCOPES, type Scope } from '../../contracts/scopes.ts';
import { type Stored, toIso, toIsoOrNull } from '../../platform/database/sql.ts';
import { instant, line, queryBoolean, storedUuid, timestamp } from '../../platform/http/schemas.ts';

const scope = z.enum(SCOPES as [Scope, ...Scope[]]);

export const keySchema = z
  .object({
    id: storedUuid,
    name: z.string(),
    keyType: z.enum(KEY_TYPES),
    prefix: z.string(),
    lastFour: z.string(),
    scopes: z.array(scope),
    createdBy: storedUuid
      .nullable()
      .meta({ description: 'Id of the key that created this one; null when created with the admin CLI' }),
    createdAt: timestamp,
    lastUsedAt: timestamp.nullable().meta({ description: 'Accurate to about one minute' }),
    expiresAt: timestamp.nullable().meta({ description: 'Null for a key that does not expire' }),
    revokedAt: timestamp.nullable(),
  })
  .meta({ id: 'ApiKey' });

export const revokedKeySchema = keySchema
  .extend({ descendants: z.int().meta({ description: 'Keys created with this one, directly or not, that are still active' }) })
  .meta({ id: 'RevokedApiKey' });

export const revokeKeyQuery = z.strictObject({
  descendants: queryBoolean.optional().meta({ description: 'Revoke the keys created with this one too. Default: false' }),
});

export type KeyView = z.infer<typeof keySchema>;

export const createdKeySchema = z
  .object({ key: keySchema, value: z.string().meta({ description: 'The API key. Shown only once' }) })
  .meta({ id: 'CreatedApiKey' });

export const createKeyBody = z
  .strictObject({
    name: line(100),
    scopes: z.array(scope).min(1).max(SCOPES.length).optional(),
    preset: z.enum(PRESETS).optional(),
    expiresAt: instant
      .transform((text) => new Date(text))
      .optional()
      .meta({ description: 'ISO 8601 with offset or Z, at most the expiry of the creating key. Default: that expiry' }),
  })
  .refine((body) => (body.scopes === undefined) !== (body.preset === undefined), {
    path: ['scopes'],
    message: 'or preset must be provided, but not both',
  })
  .meta({
    override: ({ jsonSchema }) => {
      jsonSchema.oneOf = [{ required: ['scopes'] }, { required: ['preset'] }];
    },
  });

/** An API key as an entity or as a row. */
export type StoredKey = Stored<KeyView, 'createdAt' | 'lastUsedAt' | 'expiresAt' | 'revokedAt'>;

export const toKey = (key: StoredKey): KeyView => ({
  id: key.id,
  name: key.name,
  keyType: key.keyType,
  prefix: key.prefix,
  lastFour: key.lastFour,
  scopes: key.scopes,
  createdBy: key.createdBy ?? null,
  createdAt: toIso(key.createdAt),
  lastUsedAt: toIsoOrNull(key.lastUsedAt),
  expiresAt: toIsoOrNull(key.expiresAt),
  revokedAt: toIsoOrNull(key.revokedAt),
});

/** The only response that contains the value of a key. */
export const toCreatedKey = ({ key, value }: { key: StoredKey; value: string }) => ({ key: toKey(key), value });

export const toRevokedKey = ({ key, descendants }: { key: StoredKey; descendants: number }) => ({ ...toKey(key), descendants });
