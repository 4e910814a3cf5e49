import { z } from 'zod';
import { callerOf } from '../../platform/context.ts';
import type { Access, Operation } from '../../platform/http/operation.ts';
import { operation } from '../../platform/http/operation.ts';
import { pageQuery } from '../../platform/http/pages.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { listApiKeys } from './auth.queries.ts';
import { createdKeySchema, createKeyBody, keyExample, keySchema, toKey } from './auth.wire.ts';
import { createApiKey } from './use-cases/create-api-key.ts';
import { revokeApiKey } from './use-cases/revoke-api-key.ts';

const access: Access = {
  keys: ['merchant', 'affiliate'],
  scope: { merchant: 'merchant:manage', affiliate: 'profile:write' },
};

export const authRoutes: Operation[] = [
  operation({
    id: 'listApiKeys',
    method: 'GET',
    path: '/auth/keys',
    tag: 'Auth',
    summary: 'List your API keys',
    access,
    query: z.strictObject(pageQuery),
    paged: true,
    reply: keySchema,
    example: { data: [keyExample] },
    handle: ({ ctx, query }) => listApiKeys(ctx, callerOf(ctx).ownerId, query),
  }),
  operation({
    id: 'createApiKey',
    method: 'POST',
    path: '/auth/keys',
    tag: 'Auth',
    summary: 'Create an API key of your own type',
    access,
    body: createKeyBody,
    reply: createdKeySchema,
    status: 201,
    secret: true,
    reasons: ['TOO_MANY_KEYS'],
    example: { data: { key: keyExample, value: 'ak_live_…' }, body: { name: 'Backend', preset: 'readonly' } },
    handle: async ({ ctx, body }) => {
      const { keyType, ownerId } = callerOf(ctx);
      const expiresAt = body.expiresAt === undefined ? undefined : new Date(body.expiresAt);
      const { key, value } = await createApiKey(ctx, { ...body, expiresAt, keyType, ownerId });
      return { key: toKey(key), value };
    },
  }),
  operation({
    id: 'revokeApiKey',
    method: 'DELETE',
    path: '/auth/keys/{id}',
    tag: 'Auth',
    summary: 'Revoke an API key',
    access,
    params: idParams,
    reply: keySchema,
    example: { data: { ...keyExample, revokedAt: '2026-02-01T08:00:00.000Z' } },
    handle: async ({ ctx, params }) => toKey(await revokeApiKey(ctx, { id: params.id })),
  }),
];
