import { recordChange, valuesOf } from '../../../platform/audit-log/record-change.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { lockOwned } from '../../../platform/ownership.ts';
import { ApiKey } from '../api-key.entity.ts';

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
