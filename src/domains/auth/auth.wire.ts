import { z } from 'zod';
import { KEY_TYPES, PRESETS, SCOPES, type Scope } from '../../contracts/scopes.ts';
import { instant, line, timestamp, uuid } from '../../platform/http/schemas.ts';
import type { ApiKey } from './api-key.entity.ts';

const scope = z.enum(SCOPES as [Scope, ...Scope[]]);

export const keySchema = z
  .object({
    id: uuid,
    name: z.string(),
    keyType: z.enum(KEY_TYPES),
    prefix: z.string(),
    lastFour: z.string(),
    scopes: z.array(scope),
    createdBy: uuid.nullable(),
    createdAt: timestamp,
    lastUsedAt: timestamp.nullable(),
    expiresAt: timestamp.nullable(),
    revokedAt: timestamp.nullable(),
  })
  .meta({ id: 'ApiKey' });

export type KeyView = z.infer<typeof keySchema>;

export const createdKeySchema = z
  .object({ key: keySchema, value: z.string().meta({ description: 'The key itself, shown this once' }) })
  .meta({ id: 'CreatedApiKey' });

export const createKeyBody = z
  .strictObject({
    name: line(100),
    scopes: z.array(scope).min(1).max(SCOPES.length).optional(),
    preset: z.enum(PRESETS).optional(),
    expiresAt: instant.optional(),
  })
  .refine((body) => (body.scopes === undefined) !== (body.preset === undefined), {
    path: ['scopes'],
    message: 'give either scopes or a preset',
  });

export const toKey = (key: ApiKey): KeyView => ({
  id: key.id,
  name: key.name,
  keyType: key.keyType,
  prefix: key.prefix,
  lastFour: key.lastFour,
  scopes: key.scopes,
  createdBy: key.createdBy ?? null,
  createdAt: key.createdAt.toISOString(),
  lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
  expiresAt: key.expiresAt?.toISOString() ?? null,
  revokedAt: key.revokedAt?.toISOString() ?? null,
});

export const keyExample: KeyView = {
  id: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e11',
  name: 'Backend',
  keyType: 'merchant',
  prefix: 'ak_live_',
  lastFour: 'x7Qa',
  scopes: ['programs:read', 'payouts:write'],
  createdBy: null,
  createdAt: '2026-01-15T09:30:00.000Z',
  lastUsedAt: null,
  expiresAt: null,
  revokedAt: null,
};
