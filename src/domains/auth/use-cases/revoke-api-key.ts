import { LockMode } from '@mikro-orm/core';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { forbidden, notFound } from '../../../platform/errors.ts';
import { ApiKey } from '../api-key.entity.ts';

/** Takes effect immediately on all processes. Revoking a revoked key changes nothing and returns it. */
export const revokeApiKey = (ctx: Context, input: { id: string }): Promise<ApiKey> =>
  inTransaction(ctx, async (ctx) => {
    const key = await ctx.em.findOne(ApiKey, { id: input.id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!key) throw notFound('API key');
    if (ctx.actor.kind === 'key' && ctx.actor.ownerId !== key.ownerId) throw forbidden();
    key.revoke(ctx.clock.now());
    await ctx.em.flush();
    ctx.broadcasts.push({ channel: 'key-changed', text: key.id });
    return key;
  });
