import { z } from 'zod';
import { type Context, callerOf } from '../../platform/context.ts';
import { operation } from '../../platform/http/operation.ts';
import { pageQuery } from '../../platform/http/pages.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { givenEnd } from '../given-times.ts';
import { createdKeyExample, keyExample, revokedKeyExample } from './auth.examples.ts';
import { listApiKeys } from './auth.queries.ts';
import {
  createdKeySchema,
  createKeyBody,
  keySchema,
  revokedKeySchema,
  revokeKeyQuery,
  toCreatedKey,
  toRevokedKey,
} from './auth.wire.ts';
import { createApiKey, revokeApiKey } from './use-cases/api-key.ts';

const shared = {
  tag: 'Auth',
  access: {
    keys: ['merchant', 'affiliate'],
    scope: { merchant: 'merchant:manage', affiliate: 'profile:write' },
  },
} as const;

/** A new key has the type and the owner of the key that creates it. */
const limitsOf = async (ctx: Context, { expiresAt }: { expiresAt?: string | undefined }) => {
  const { keyType, ownerId } = callerOf(ctx);
  return { keyType, ownerId, expiresAt: expiresAt === undefined ? undefined : await givenEnd(ctx, expiresAt) };
};

const revocation = { params: idParams, query: revokeKeyQuery } as const;

export const authRoutes = [
  operation({
    ...shared,
    id: 'listApiKeys',
    method: 'GET',
    path: '/auth/keys',
    urgent: true,
    summary: 'List API keys',
    description: 'Returns the API keys of your account, newest first, including revoked and expired keys.',
    query: z.strictObject(pageQuery),
    paged: true,
    reply: keySchema,
    example: { data: [keyExample] },
    handle: ({ ctx, query }) => listApiKeys(ctx, callerOf(ctx).ownerId, query),
  }),
  operation({
    ...shared,
    id: 'createApiKey',
    method: 'POST',
    path: '/auth/keys',
    freshCheck: 'code',
    summary: 'Create an API key',
    description: 'The new key has the type of the key that creates it, and at most its scopes, expiry and rate limit.',
    body: createKeyBody,
    reply: createdKeySchema,
    status: 201,
    secret: true,
    reasons: ['TOO_MANY_KEYS'],
    example: createdKeyExample,
    handle: async ({ ctx, body }) => toCreatedKey(await createApiKey(ctx, { ...body, ...(await limitsOf(ctx, body)) })),
  }),
  operation({
    ...shared,
    id: 'revokeApiKey',
    method: 'DELETE',
    path: '/auth/keys/{id}',
    urgent: true,
    freshCheck: 'code',
    summary: 'Revoke an API key',
    description:
      'The key stops working immediately. Keys created with it keep working unless `descendants` is true. What waits in the name of a revoked key is cancelled: `cancelled` lists it.',
    ...revocation,
    reply: revokedKeySchema,
    example: { data: revokedKeyExample },
    handle: async ({ ctx, params, query }) => toRevokedKey(await revokeApiKey(ctx, { ...params, ...query })),
  }),
];
