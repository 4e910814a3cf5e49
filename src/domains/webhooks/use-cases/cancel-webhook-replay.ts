import { LockMode } from '@mikro-orm/core';
import { type Context, inTransaction, merchantOf } from '../../../platform/context.ts';
import { conflict, forbidden, notFound } from '../../../platform/errors.ts';
import { WebhookReplay } from '../webhook-replay.entity.ts';

/** No further delivery is queued; those that are queued are sent. Cancelling again changes nothing. */
export const cancelWebhookReplay = (ctx: Context, input: { id: string }): Promise<WebhookReplay> =>
  inTransaction(ctx, async (ctx) => {
    const replay = await ctx.em.findOne(WebhookReplay, { id: input.id }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
    if (!replay) throw notFound('Webhook replay');
    if (replay.merchantId !== merchantOf(ctx)) throw forbidden();
    if (replay.state === 'completed') {
      throw conflict('ILLEGAL_TRANSITION', 'A completed replay cannot be cancelled', { from: 'completed', to: 'cancelled' });
    }
    if (replay.state === 'running') replay.cancel('requested', ctx.clock.now());
    await ctx.em.flush();
    return replay;
  });
