import { LockMode } from '@mikro-orm/core';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { notFound } from '../../../platform/errors.ts';
import { ApiKey } from '../api-key.entity.ts';

/** Requests per minute of one key; null restores the limit of the owner's billing tier. Takes effect immediately. */
export const setApiKeyRateLimit = (ctx: Context, input: { id: string; rateLimit: number | null }): Promise<ApiKey> =>
  inTransaction(ctx, async (ctx) => {
    const key = await ctx.em.findOne(ApiKey, { id: input.id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!key) throw notFound('API key');
    key.rateLimit = input.rateLimit;
    await ctx.em.flush();
    ctx.broadcasts.push({ channel: 'key-changed', text: key.id });
    return key;
  });
