import { z } from 'zod';
import { WAITING_KINDS } from '../../contracts/approvals.ts';
import { KEY_TYPES, PRESETS, SCOPES, type Scope } from '../../contracts/scopes.ts';
import { type Stored, toIso, toIsoOrNull } from '../../platform/database/sql.ts';
import { createdAt, id } from '../../platform/http/fields.ts';
import { dayOrInstant, nameLine, queryBoolean, storedUuid, timestampOrNull } from '../../platform/http/schemas.ts';

const scope = z.enum(SCOPES as [Scope, ...Scope[]]);

export const keySchema = z
  .object({
    id,
    name: z.string().describe('Name for display'),
    keyType: z.enum(KEY_TYPES).describe('Type of the key, which decides the operations it may call'),
    prefix: z.string().describe('Beginning of the key, which shows its type'),
    lastFour: z.string().describe('Last four characters of the key'),
    scopes: z.array(scope).describe('Permissions of the key'),
    createdBy: storedUuid
      .nullable()
      .describe('Id of the key or person that created this one; null when created with the admin CLI'),
    createdAt,
    lastUsedAt: timestampOrNull.describe('Accurate to about one minute'),
    expiresAt: timestampOrNull.describe('Null for a key that does not expire'),
    revokedAt: timestampOrNull.describe('When the key was revoked; null if it was not'),
  })
  .meta({ id: 'ApiKey' });

export const cancelledWork = z
  .array(
    z.object({
      kind: z.enum(WAITING_KINDS).describe('What was cancelled'),
      id: storedUuid.describe('Id of the cancelled object'),
    }),
  )
  .describe(
    'What waited in the name of whoever lost access and was cancelled: payouts, runs and adjustments that waited for approval, drafts of runs, pending changes of settings, invites, replacements of passkeys. Of more than 50 of a kind, the rest follows within a minute',
  );

export const revokedKeySchema = keySchema
  .extend({
    descendants: z.int().describe('Keys created with this one, directly or not, that are still active'),
    cancelled: cancelledWork,
  })
  .meta({ id: 'RevokedApiKey' });

export const revokeKeyQuery = z.strictObject({
  descendants: queryBoolean.optional().describe('Revoke the keys created with this one too. Default: false'),
});

export type KeyView = z.infer<typeof keySchema>;

export const createdKeySchema = z
  .object({
    key: keySchema.describe('The API key, without its value'),
    value: z.string().describe('The API key. Shown only once'),
  })
  .meta({ id: 'CreatedApiKey' });

export const createKeyBody = z
  .strictObject({
    name: nameLine(100).describe('Display name of the key'),
    scopes: z
      .array(scope)
      .min(1)
      .max(SCOPES.length)
      .optional()
      .describe('Permissions of the new key, all of which the calling key must have. Provide either scopes or preset'),
    preset: z
      .enum(PRESETS)
      .optional()
      .describe('A named set of scopes, reduced to those that the calling key can grant. Provide either scopes or preset'),
    expiresAt: dayOrInstant
      .optional()
      .describe(
        'A time, or the last day in your time zone, such as 2026-12-31; at most the expiry of the creating key. Default: that expiry',
      ),
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

export const toRevokedKey = ({
  key,
  ...revoked
}: {
  key: StoredKey;
  descendants: number;
  cancelled: z.infer<typeof cancelledWork>;
}) => ({ ...toKey(key), ...revoked });
