import { type Context, inTransaction } from '../../../platform/context.ts';
import { conflict } from '../../../platform/errors.ts';
import { lockOwned } from '../../../platform/ownership.ts';
import { WebhookReplay } from '../webhook-replay.entity.ts';

/** No further delivery is queued; those that are queued are sent. Cancelling again changes nothing. */
export const cancelWebhookReplay = (ctx: Context, input: { id: string }): Promise<WebhookReplay> =>
  inTransaction(ctx, async (ctx) => {
    const replay = await lockOwned(ctx, 'Webhook replay', WebhookReplay, { id: input.id });
    if (replay.state === 'completed') {
      throw conflict('ILLEGAL_TRANSITION', 'A completed replay cannot be cancelled', { from: 'completed', to: 'cancelled' });
    }
    if (replay.state === 'running') replay.cancel('requested', ctx.clock.now());
    return replay;
  });
