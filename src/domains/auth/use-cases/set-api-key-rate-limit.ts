import { LockMode } from '@mikro-orm/core';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { notFound } from '../../../platform/errors.ts';
import { ApiKey } from '../api-key.entity.ts';

/** Requests a minute of one key; null goes back to those of its owner's billing tier. Heard by every process at once. */
export const setApiKeyRateLimit = (ctx: Context, input: { id: string; rateLimit: number | null }): Promise<ApiKey> =>
  inTransaction(ctx, async (ctx) => {
    const key = await ctx.em.findOne(ApiKey, { id: input.id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!key) throw notFound('API key');
    key.rateLimit = input.rateLimit;
    await ctx.em.flush();
    ctx.broadcasts.push({ channel: 'key-changed', text: key.id });
    return key;
  });
