import { LockMode } from '@mikro-orm/core';
import { type Context, merchantOf } from '../../platform/context.ts';
import { forbidden, notFound } from '../../platform/errors.ts';
import { WebhookEndpoint } from './webhook-endpoint.entity.ts';

/**
 * The caller's endpoint, locked until the transaction ends. Throws NOT_FOUND for a missing or deleted endpoint and
 * FORBIDDEN for another merchant's.
 */
export const lockWebhookEndpoint = async (ctx: Context, id: string): Promise<WebhookEndpoint> => {
  const endpoint = await ctx.em.findOne(
    WebhookEndpoint,
    { id, deletedAt: null },
    { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
  );
  if (!endpoint) throw notFound('Webhook endpoint');
  if (endpoint.merchantId !== merchantOf(ctx)) throw forbidden();
  return endpoint;
};
